#include "diagnosis/alignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "diagnosis/value_match.hpp"
#include "notebook/ops.hpp"
#include "notebook/render.hpp"
#include "stages/catalogue.hpp"
#include "stages/trace.hpp"
#include "tensor/error.hpp"

namespace attn {

namespace {

// A form of attention that a recording does not have. It is caught, so nobody sees its text.
class DoesNotFit : public Error {
    using Error::Error;
};

constexpr std::string_view roles = "qkv";
constexpr unsigned all_roles = 7;

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, word) != words.end();
}

// Operations with different names that do the same.
std::string_view kind_of(std::string_view op) {
    while (op.ends_with('_') || op.starts_with('_')) {
        op = op.ends_with('_') ? op.substr(0, op.size() - 1) : op.substr(1);
    }
    return is_one_of(op, {"matmul", "bmm", "mm", "rmatmul", "einsum", "baddbmm", "linear", "addmm", "dot",
                          "mv", "tensordot", "inner"})
               ? "matmul"
           : is_one_of(op, {"div", "truediv", "mul", "rmul", "true_divide", "div_scalar", "multiply", "idiv",
                            "imul", "itruediv"})
               ? "scale"
           : is_one_of(op, {"masked_fill", "where", "setitem"}) ? "masked_fill"
           : is_one_of(op, {"triu", "tril"})                    ? "triangle"
           : is_one_of(op, {"softmax"})                         ? "softmax"
           : is_one_of(op,
                       {"T",       "t",        "mT",      "H",          "transpose", "permute",   "swapaxes",
                        "movedim", "view",     "reshape", "contiguous", "getitem",   "unsqueeze", "squeeze",
                        "chunk",   "split",    "unbind",  "flatten",    "unflatten", "expand",    "clone",
                        "detach",  "to",       "float",   "double",     "half",      "bool",      "data",
                        "type",    "swapdims", "select",  "narrow"})
               ? "layout"
               : op;
}

bool is_unrelated(std::string_view op) {  // the result has the shape of an operand, not its numbers
    return op.ends_with("_like") || op.starts_with("new_");
}

struct RoleName {
    char role;         // q, k, v, or f for a fused projection
    std::string stem;  // the name with * in place of the role
};

std::optional<RoleName> role_in(std::string_view name) {
    std::string lower(name);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    for (const std::string_view fused : {"query_key_value", "qkv", "c_attn", "in_proj"}) {
        if (const std::size_t at = lower.find(fused); at != std::string::npos) {
            return RoleName{'f', lower.replace(at, fused.size(), "*")};
        }
    }
    for (const std::string_view word : {"query", "queries", "key", "value"}) {
        const std::size_t at = lower.rfind(word);
        if (at != std::string::npos) {
            const std::size_t plural = lower.substr(at + word.size()).starts_with('s') ? 1 : 0;
            return RoleName{word[0], lower.replace(at, word.size() + plural, "*")};
        }
    }
    for (std::size_t to = lower.size(), from = 0; to > 0; to = from > 0 ? from - 1 : 0) {
        from = lower.find_last_of("._", to - 1) + 1;
        const std::string part = lower.substr(from, to - from);
        const std::size_t letter = part.size() == 2 && part[0] == 'w' ? 1 : 0;
        if (part.size() == letter + 1 && roles.find(part[letter]) != std::string_view::npos) {
            const char role = part[letter];
            return RoleName{role, lower.replace(from + letter, 1, "*")};
        }
        if (from == 0) {
            break;
        }
    }
    return std::nullopt;
}

std::optional<RoleName> role_of(const RecordedTensor& tensor) {
    for (const std::string& name : tensor.names) {
        if (auto role = role_in(name)) {
            return role;
        }
    }
    return std::nullopt;
}

struct Projection {
    std::size_t call, x, weight, result;
    std::optional<std::size_t> bias{};
    bool is_in_out = false;  // the weight has shape (in, out)
    bool is_used = true;     // false for a weight that no call multiplies
};

// The parts of one attention layer in the recording.
struct Found {
    std::size_t first_call = 0, end = 0, x = 0;
    std::map<char, Projection> by_role{};  // q, k, v, or f
    std::string name{}, stem{};
    std::vector<std::pair<char, std::size_t>> rows{};  // projections of one token: role and result
    std::optional<std::size_t> heads{};                // given by nn.MultiheadAttention
    std::optional<Projection> out_proj{};
    bool is_simplified = false;

    bool is_fused() const { return by_role.contains('f'); }
    bool is_complete() const { return is_fused() || by_role.size() == roles.size(); }
};

class Aligner {
public:
    explicit Aligner(const Recording& recording);

    std::vector<AlignedLayer> layers();

private:
    const RecordedTensor& tensor(std::size_t id) const { return recording_->tensors[id]; }
    std::size_t origin(std::size_t id, bool over_shapes) const;
    std::optional<Projection> projection_at(std::size_t call) const;
    void orient(Projection& projection) const;
    std::optional<std::size_t> projection_behind(std::size_t id, const std::vector<Projection>& all) const;
    std::optional<Found> layer_of_unnamed(const std::vector<Projection>& same) const;
    Found whole_module(std::size_t at) const;
    void join_rows(std::vector<Found>& found) const;
    void add_unused(Found& layer) const;
    std::vector<Found> find_layers() const;
    std::size_t end_of(const Found& layer, const std::vector<Found>& all) const;
    void find_out_proj(Found& found) const;
    std::optional<std::size_t> contradiction(const Found& found) const;
    AlignedLayer aligned(const Found& found);

    const Recording* recording_;
    std::vector<std::optional<std::size_t>> maker_;  // of each tensor, the call that made it
};

Aligner::Aligner(const Recording& recording) : recording_(&recording), maker_(recording.tensors.size()) {
    for (std::size_t i = 0; i < recording.calls.size(); ++i) {
        for (const std::size_t result : recording.calls[i].results) {
            const auto& operands = recording.calls[i].operands;
            if (!maker_[result] && std::ranges::find(operands, result) == operands.end()) {
                maker_[result] = i;
            }
        }
    }
}

// Follows transpositions, and changes of shape if requested, to their operand.
std::size_t Aligner::origin(std::size_t id, bool over_shapes) const {
    while (maker_[id]) {
        const RecordedCall& call = recording_->calls[*maker_[id]];
        const bool shapes = is_one_of(call.op, {"view", "reshape", "flatten", "contiguous"});
        const bool turns = is_one_of(call.op, {"T", "t", "mT", "transpose", "permute", "detach", "data"});
        if (call.operands.size() != 1 || !(over_shapes ? shapes : turns)) {
            break;
        }
        id = call.operands[0];
    }
    return id;
}

std::optional<Projection> Aligner::projection_at(std::size_t at) const {
    const RecordedCall& call = recording_->calls[at];
    if (kind_of(call.op) != "matmul" || call.operands.size() < 2 || call.results.empty()) {
        return std::nullopt;
    }
    const bool bias_first = is_one_of(call.op, {"addmm", "baddbmm"});
    std::size_t x = call.operands[bias_first ? 1 : 0];
    std::size_t weight = origin(call.operands[bias_first ? 2 : 1], false);
    const auto is_weight = [&](std::size_t id) {
        const RecordedTensor& w = tensor(id);
        // Made from random numbers, not from other tensors.
        const bool source = !maker_[id] || recording_->calls[*maker_[id]].operands.empty();
        return w.shape.size() == 2 &&
               (w.is_parameter || (source && (role_of(w) || role_of(tensor(call.results[0])))));
    };
    if (const std::size_t left = origin(x, false); is_weight(left) && !is_weight(weight)) {
        x = origin(call.operands[1], false);
        weight = left;
    }
    if (!is_weight(weight) || tensor(x).is_parameter || x == weight) {
        return std::nullopt;
    }
    Projection found{at, origin(x, true), weight, call.results[0]};
    if (call.operands.size() > 2) {
        found.bias = call.operands[bias_first ? 0 : 2];
    }
    for (std::size_t next = at + 1; !found.bias && next < recording_->calls.size(); ++next) {
        const RecordedCall& adds = recording_->calls[next];
        if (is_one_of(adds.op, {"add", "__add__", "__radd__", "add_"}) && adds.operands.size() == 2) {
            for (const std::size_t side : {0U, 1U}) {
                std::size_t bias = adds.operands[1 - side];
                while (maker_[bias] && recording_->calls[*maker_[bias]].operands.size() == 1 &&
                       tensor(bias).shape.size() > 1) {  // bias[:, None]
                    bias = recording_->calls[*maker_[bias]].operands[0];
                }
                const bool source = !maker_[bias] || recording_->calls[*maker_[bias]].operands.empty();
                if (adds.operands[side] == found.result && tensor(bias).shape.size() == 1 && source) {
                    found.bias = bias;
                    found.result = adds.results[0];
                    break;
                }
            }
        }
    }
    orient(found);
    return found;
}

// Decides whether the weight has shape (in, out), by the sizes, by the numbers of the result's first row, or
// by the call.
void Aligner::orient(Projection& p) const {
    const RecordedTensor& x = tensor(p.x);
    const RecordedTensor& w = tensor(p.weight);
    const RecordedCall& call = recording_->calls[p.call];
    const std::size_t in = x.shape.empty() ? 0 : x.shape.back();
    const bool of_linear = !w.names.empty() && w.names[0].ends_with(".weight") && call.op != "addmm";
    p.is_in_out =
        w.shape[0] != w.shape[1] ? w.shape[0] == in && w.shape[1] != in : call.op != "linear" && !of_linear;
    if (w.shape[0] == w.shape[1] && !of_linear && call.op != "linear" && w.has_numbers && x.has_numbers) {
        const RecordedTensor& y = tensor(call.results[0]);
        for (const bool in_out : {true, false}) {
            double sum = p.bias && call.operands.size() > 2 && tensor(*p.bias).has_numbers
                             ? static_cast<double>(tensor(*p.bias).numbers[0])
                             : 0.0;
            for (std::size_t i = 0; i < in; ++i) {
                sum += static_cast<double>(x.numbers[i]) *
                       static_cast<double>(w.numbers[in_out ? i * w.shape[1] : i]);
            }
            if (y.has_numbers &&
                std::abs(sum - static_cast<double>(y.numbers[0])) < 1e-2 * std::abs(sum) + 1e-6) {
                p.is_in_out = in_out;
                return;
            }
        }
    }
}

// Returns the longest name, which has the path of the parameter.
std::string path_of(const RecordedTensor& weight) {
    const auto longest = std::ranges::max_element(weight.names, {}, &std::string::size);
    return longest == weight.names.end() ? "" : *longest;
}

std::string common_name(const RecordedTensor& weight) {
    const std::string name = path_of(weight);
    std::string stem = name.substr(0, name.rfind(".weight"));
    const std::size_t dot = stem.rfind('.');
    return dot == std::string::npos ? "" : stem.substr(0, dot);
}

// Follows layout and scaling to the projection that a tensor comes from.
std::optional<std::size_t> Aligner::projection_behind(std::size_t id,
                                                      const std::vector<Projection>& all) const {
    for (int steps = 0; steps < 16; ++steps) {
        const auto found = std::ranges::find(all, id, &Projection::result);
        if (found != all.end()) {
            return found - all.begin();
        }
        if (!maker_[id] || recording_->calls[*maker_[id]].operands.empty()) {
            break;
        }
        id = recording_->calls[*maker_[id]].operands[0];
    }
    return std::nullopt;
}

// Gives three projections of one input their roles: the first product of two of them is that of queries and
// keys.
std::optional<Found> Aligner::layer_of_unnamed(const std::vector<Projection>& same) const {
    Found layer{.first_call = same[0].call, .x = same[0].x, .name = common_name(tensor(same[0].weight))};
    for (std::size_t i = same.back().call + 1; i < recording_->calls.size(); ++i) {
        const RecordedCall& call = recording_->calls[i];
        if (call.op == "scaled_dot_product_attention" && call.operands.size() >= 3) {
            for (std::size_t r = 0; r < 3; ++r) {
                if (const auto at = projection_behind(call.operands[r], same)) {
                    layer.by_role[roles[r]] = same[*at];
                }
            }
            return layer.is_complete() ? std::optional(layer) : std::nullopt;
        }
        const bool bias_first = is_one_of(call.op, {"addmm", "baddbmm"});
        if (kind_of(call.op) != "matmul" || call.operands.size() < (bias_first ? 3U : 2U)) {
            continue;
        }
        const auto left = projection_behind(call.operands[bias_first ? 1 : 0], same);
        const auto right = projection_behind(call.operands[bias_first ? 2 : 1], same);
        if (left && right && *left != *right) {
            layer.by_role = {{'q', same[*left]}, {'k', same[*right]}, {'v', same[3 - *left - *right]}};
            return layer;
        }
    }
    return std::nullopt;
}

Found Aligner::whole_module(std::size_t at) const {
    const RecordedCall& call = recording_->calls[at];
    Found layer{.first_call = at, .x = call.operands[0], .name = common_name(tensor(call.operands[3]))};
    layer.by_role['f'] = {at, call.operands[0], call.operands[3], call.results[0], {}};
    const bool biased = call.operands.size() > 5 && tensor(call.operands[4]).shape.size() == 1;
    if (biased) {
        layer.by_role['f'].bias = call.operands[4];
    }
    Projection out{at, call.operands[0], call.operands[biased ? 5 : 4], call.results[0], {}};
    if (biased && call.operands.size() > 6) {
        out.bias = call.operands[6];
    }
    layer.out_proj = out;
    layer.heads = call.arguments.size() > 1 ? static_cast<std::size_t>(call.arguments[1].second) : 1;
    return layer;
}

// Joins the projections of single tokens with those of all tokens.
void Aligner::join_rows(std::vector<Found>& found) const {
    for (const Found& row : found) {
        if (tensor(row.x).shape.size() != 1 || !maker_[row.x]) {
            continue;
        }
        for (Found& whole : found) {
            const RecordedCall& call = recording_->calls[*maker_[row.x]];
            const bool same = std::ranges::all_of(row.by_role, [&](const auto& one) {
                const auto own = whole.by_role.find(one.first);
                return own == whole.by_role.end() || own->second.weight == one.second.weight;
            });
            if (same && whole.stem == row.stem && !call.operands.empty() && call.operands[0] == whole.x) {
                for (const auto& [role, p] : row.by_role) {
                    whole.rows.emplace_back(role, p.result);
                    if (!whole.by_role.contains(role)) {
                        whole.by_role[role] = p;
                        whole.by_role[role].is_used = false;  // its result is a row
                    }
                }
                whole.first_call = std::min(whole.first_call, row.first_call);
                break;
            }
        }
    }
    std::erase_if(found, [&](const Found& row) { return tensor(row.x).shape.size() == 1; });
}

// Finds weights that no call multiplies by their names.
void Aligner::add_unused(Found& layer) const {
    const Projection like = layer.by_role.begin()->second;
    for (const char role : roles) {
        if (layer.is_fused() || layer.by_role.contains(role)) {
            continue;
        }
        std::size_t nearest = recording_->tensors.size();
        for (std::size_t id = 0; id < recording_->tensors.size(); ++id) {
            const std::optional<RoleName> own = role_of(tensor(id));
            const std::size_t distance = id > like.weight ? id - like.weight : like.weight - id;
            if (own && own->role == role && own->stem == layer.stem && distance < nearest &&
                tensor(id).shape == tensor(like.weight).shape) {
                nearest = distance;
                layer.by_role[role] = {like.call, like.x, id, like.result, {}, like.is_in_out, false};
            }
        }
    }
    if (layer.by_role.contains('q') && layer.by_role.contains('k') && !layer.by_role.contains('v')) {
        layer.by_role['v'] = layer.by_role['k'];  // the code ends with the weights
        layer.by_role['v'].is_used = false;
    }
}

std::vector<Found> Aligner::find_layers() const {
    std::vector<Found> found;
    std::map<std::size_t, std::vector<Projection>> unnamed;  // of each input
    for (std::size_t i = 0; i < recording_->calls.size(); ++i) {
        const RecordedCall& call = recording_->calls[i];
        if (call.op == "multi_head_attention_forward" && call.operands.size() >= 5) {
            found.push_back(whole_module(i));
            continue;
        }
        const std::optional<Projection> p = projection_at(i);
        if (!p) {
            continue;
        }
        std::optional<RoleName> role = role_of(tensor(p->weight));
        role = role ? role : role_of(tensor(p->result));
        const std::size_t out = tensor(p->weight).shape[p->is_in_out ? 1 : 0];
        const std::size_t in = tensor(p->weight).shape[p->is_in_out ? 0 : 1];
        if (role ? role->role == 'f' : out == 3 * in) {
            found.push_back({.first_call = i, .x = p->x, .name = common_name(tensor(p->weight))});
            found.back().by_role['f'] = *p;
        } else if (role) {
            const auto open = std::find_if(found.rbegin(), found.rend(), [&](const Found& layer) {
                return layer.x == p->x && layer.stem == role->stem && !layer.is_fused() &&
                       !layer.by_role.contains(role->role);
            });
            Found& layer =
                open == found.rend() ? found.emplace_back(Found{.first_call = i, .x = p->x}) : *open;
            layer.by_role[role->role] = *p;
            layer.stem = role->stem;
            layer.name = common_name(tensor(p->weight));
        } else {
            std::vector<Projection>& same = unnamed[p->x];
            same.push_back(*p);
            if (same.size() == roles.size()) {
                if (auto layer = layer_of_unnamed(same)) {
                    found.push_back(*std::move(layer));
                }
                same.clear();
            }
        }
    }
    join_rows(found);
    std::erase_if(found, [](const Found& layer) { return !layer.is_fused() && layer.by_role.size() < 2; });
    std::ranges::for_each(found, [&](Found& layer) { add_unused(layer); });
    std::erase_if(found, [](const Found& layer) { return !layer.is_complete(); });
    // Attention without weights: the inputs are multiplied by themselves.
    for (std::size_t i = 0; i < recording_->calls.size(); ++i) {
        const RecordedCall& call = recording_->calls[i];
        if (kind_of(call.op) != "matmul" || call.operands.size() != 2) {
            continue;
        }
        const std::size_t x = origin(call.operands[0], false);
        if (x == origin(call.operands[1], false) && tensor(x).shape.size() == 2 && !tensor(x).is_parameter &&
            (!maker_[x] || recording_->calls[*maker_[x]].operands.empty())) {
            found.push_back({.first_call = i, .x = x, .is_simplified = true});
        }
    }
    std::ranges::sort(found, {}, &Found::first_call);
    for (Found& layer : found) {
        layer.end = end_of(layer, found);
    }
    return found;
}

// Returns the call with which the next layer begins that reads results of this one.
std::size_t Aligner::end_of(const Found& layer, const std::vector<Found>& all) const {
    std::vector<bool> reached(recording_->tensors.size());
    for (const auto& [role, p] : layer.by_role) {
        reached[p.result] = reached[p.result] || p.is_used;
    }
    for (std::size_t i = layer.first_call; i < recording_->calls.size(); ++i) {
        const RecordedCall& call = recording_->calls[i];
        if (std::ranges::any_of(all, [&](const Found& next) {
                return next.first_call == i && &next != &layer && reached[next.x];
            })) {
            return i;
        }
        if (std::ranges::any_of(call.operands, [&](std::size_t id) { return reached[id]; })) {
            for (const std::size_t id : call.results) {
                reached[id] = true;
            }
        }
    }
    return recording_->calls.size();
}

// Returns the first projection whose result has the name of a role whose own weight is not used.
std::optional<std::size_t> Aligner::contradiction(const Found& found) const {
    for (std::size_t i = 0; i < found.end; ++i) {
        const std::optional<Projection> p = projection_at(i);
        if (!p || p->x != found.x || found.is_fused()) {
            continue;
        }
        const auto of_weight = role_of(tensor(p->weight));
        const auto of_result = role_of(tensor(p->result));
        const bool plain = of_result && of_result->stem.size() <= 3 && of_result->role != 'f';
        if (!plain || !of_weight || of_weight->stem != found.stem || of_weight->role == of_result->role) {
            continue;
        }
        const Projection& right = found.by_role.at(of_result->role);
        if (!right.is_used && right.weight != p->weight) {
            return i;
        }
    }
    return std::nullopt;
}

// Finds the projection of the merged heads: the first one behind only moves and dropout, or one by name.
void Aligner::find_out_proj(Found& found) const {
    if (found.out_proj) {
        return;
    }
    std::set<std::size_t> reached;
    for (const auto& [role, p] : found.by_role) {
        reached.insert(p.result);
    }
    for (std::size_t i = found.first_call; i < found.end; ++i) {
        const RecordedCall& call = recording_->calls[i];
        const std::optional<Projection> p = projection_at(i);
        const bool after =
            std::ranges::any_of(call.operands, [&](std::size_t id) { return reached.contains(id); });
        if (p && after && !role_of(tensor(p->weight))) {
            // The stages have a square one; others are left to the code after the layer.
            const Projection& q = found.by_role.at(found.is_fused() ? 'f' : 'q');
            const std::size_t d_out =
                tensor(q.weight).shape[q.is_in_out ? 1 : 0] / (found.is_fused() ? 3 : 1);
            if (tensor(p->weight).shape == std::vector{d_out, d_out}) {
                found.out_proj = p;
            }
            return;
        }
        const bool all =
            std::ranges::all_of(call.operands, [&](std::size_t id) { return reached.contains(id); });
        if (after && (all || kind_of(call.op) != "add")) {
            reached.insert(call.results.begin(), call.results.end());
        }
    }
    for (std::size_t id = 0; id < recording_->tensors.size(); ++id) {
        for (const std::string& name : tensor(id).names) {
            for (const std::string_view out : {"out_proj.weight", "c_proj.weight", "o_proj.weight",
                                               "W_o.weight", "to_out.weight", "proj.weight"}) {
                const bool used = std::ranges::any_of(recording_->calls, [&](const RecordedCall& call) {
                    return std::ranges::find(call.operands, id) != call.operands.end();
                });
                if (tensor(id).is_parameter && !used &&
                    name == (found.name.empty() ? "" : found.name + ".") + std::string(out)) {
                    found.out_proj = Projection{found.first_call, found.x, id, found.x, {}};
                }
            }
        }
    }
}

Tensor as_tensor(const RecordedTensor& from, std::size_t rows_from, std::size_t rows_to, bool in_out) {
    const std::size_t out = rows_to - rows_from;
    if (from.shape.size() == 1) {
        return {Shape{out},
                {from.numbers.begin() + static_cast<std::ptrdiff_t>(rows_from),
                 from.numbers.begin() + static_cast<std::ptrdiff_t>(rows_to)}};
    }
    const std::size_t in = from.shape[in_out ? 0 : 1];
    Tensor weight(Shape{out, in});
    for (std::size_t row = 0; row < out; ++row) {
        for (std::size_t column = 0; column < in; ++column) {
            weight.values()[row * in + column] =
                from.numbers[in_out ? column * from.shape[1] + rows_from + row
                                    : (rows_from + row) * in + column];
        }
    }
    return weight;
}

// A way to walk the layer.
struct Form {
    std::size_t heads = 1, kv_heads = 1;
    bool is_masked = true;
    bool is_sequence_first = false;  // the axes of the inputs are tokens, batch, features
    Pairing rotary = Pairing::none;
    double base = 0.0;
};

// The walk of a layer: one for each sequence of the batch. Dropped weights of the reader replace the stage's.
class Walks {
public:
    Walks(const Found& found, const Recording& recording, const Form& form);

    void walk_all(const std::vector<float>* dropped = nullptr);

    const Stage* stage = nullptr;
    std::vector<StageTrace> traces;     // one for each sequence
    std::vector<WalkedTensor> tensors;  // that a right code may compute
    std::vector<WeightPlace> places;
    std::size_t first_detour = 0;         // nodes from here on are not the stage's own
    std::size_t softmax = 0, output = 0;  // nodes
    std::size_t n = 0;

private:
    void collect(const Parameters& parameters);
    std::size_t width(char role) const;

    const Found* found_;
    const Recording* recording_;
    Form form_;
    TensorMap weights_;
    std::size_t batch_ = 1;
};

Walks::Walks(const Found& found, const Recording& recording, const Form& form)
    : found_(&found), recording_(&recording), form_(form) {
    const RecordedTensor& x = recording.tensors[found.x];
    if (!x.has_numbers || x.shape.size() < 2 || x.shape.size() > 3) {
        throw DoesNotFit("the inputs were not recorded.");
    }
    n = x.shape[x.shape.size() == 3 && !form.is_sequence_first ? 1 : 0];
    batch_ = x.shape.size() == 2 ? 1 : x.shape[form.is_sequence_first ? 1 : 0];
    const auto take = [&](const std::string& name, const Projection& p, std::size_t from, std::size_t to) {
        const RecordedTensor& weight = recording.tensors[p.weight];
        if (!weight.has_numbers || (p.bias && !recording.tensors[*p.bias].has_numbers)) {
            throw DoesNotFit("the weights were not recorded.");
        }
        weights_.emplace(name + ".weight", as_tensor(weight, from, to, p.is_in_out));
        places.push_back({name + ".weight", p.weight, from, to, p.is_in_out});
        if (p.bias) {
            weights_.emplace(name + ".bias", as_tensor(recording.tensors[*p.bias], from, to, false));
            places.push_back({name + ".bias", *p.bias, from, to, false});
        }
    };
    const auto outs = [&](const Projection& p) {
        return recording.tensors[p.weight].shape[p.is_in_out ? 1 : 0];
    };
    constexpr std::string_view names[] = {"W_query", "W_key", "W_value"};
    for (std::size_t r = 0; r < 3 && !found.is_simplified; ++r) {
        if (found.by_role.contains('f')) {
            const Projection& fused = found.by_role.at('f');
            const std::size_t each = outs(fused) / 3;
            take(std::string(names[r]), fused, r * each, (r + 1) * each);
        } else {
            const Projection& one = found.by_role.at(roles[r]);
            take(std::string(names[r]), one, 0, outs(one));
        }
    }
    const bool split = form.heads > 1 || found.out_proj;
    const std::size_t d_out = found.is_simplified ? 0 : weights_.at("W_query.weight").size(0);
    if (split && found.out_proj) {
        take("out_proj", *found.out_proj, 0, d_out);
    } else if (split) {
        Tensor identity(Shape{d_out, d_out});
        for (std::size_t i = 0; i < d_out; ++i) {
            identity.values()[i * d_out + i] = 1.0F;
        }
        weights_.emplace("out_proj.weight", identity);
    }
    const bool grouped = form.kv_heads != form.heads || form.rotary != Pairing::none;
    stage = find_stage(found.is_simplified ? "simplified"
                       : grouped           ? "grouped-query"
                       : split             ? "multi-head"
                       : form.is_masked    ? "causal"
                                           : "linear");
}

void Walks::walk_all(const std::vector<float>* dropped) {
    Parameters parameters = stage->defaults;
    parameters.batch = 1;
    parameters.dropout = 0.0;
    parameters.context_length = 0;
    parameters.num_heads = form_.heads;
    parameters.kv_heads = stage->name == "grouped-query" ? form_.kv_heads : 0;
    parameters.rotary = form_.rotary;
    parameters.rotary_base = form_.base;
    traces.clear();
    const RecordedTensor& x = recording_->tensors[found_->x];
    const std::size_t d_in = x.shape.back();
    for (std::size_t item = 0; item < batch_; ++item) {
        Lesson lesson{.tokens = {}, .embeddings = Tensor(Shape{n, d_in}), .is_own = true};
        for (std::size_t token = 0; token < n; ++token) {
            lesson.tokens.push_back(std::to_string(token));
            const std::size_t row = form_.is_sequence_first ? token * batch_ + item : item * n + token;
            for (std::size_t i = 0; i < d_in; ++i) {
                lesson.embeddings.values()[token * d_in + i] = x.numbers[row * d_in + i];
            }
        }
        Inputs inputs{.focus = 0};
        if (!found_->is_simplified) {
            inputs.weights = [&](const Stage&) {
                StateDict own{std::make_shared<TensorFile>("recording", weights_)};
                own.num_heads = form_.heads;
                return own;
            };
        }
        const auto change = [&, item](Notebook& nb, const Call& call) -> std::optional<Var> {
            if (call.operation == &masked_fill_op && !form_.is_masked) {
                return Var{&nb, call.inputs[0]};
            }
            if (dropped != nullptr && call.operation == &matmul_op &&
                nb.nodes()[call.inputs[0]].call.operation == &softmax_op) {
                const Shape& shape = nb.nodes()[call.inputs[0]].value.shape();
                const auto from = dropped->begin() + static_cast<std::ptrdiff_t>(item * shape.count());
                const Var own = nb.given({shape, {from, from + static_cast<std::ptrdiff_t>(shape.count())}});
                return record(matmul_op, {own, Var{&nb, call.inputs[1]}});
            }
            return std::nullopt;
        };
        traces.push_back(form_.is_masked && dropped == nullptr
                             ? walk(*stage, lesson, parameters, inputs)
                             : walk_edited(*stage, lesson, parameters, inputs, {change}));
    }
    collect(traces[0].parameters);
}

// Records results of other code that is right, and collects all tensors that depend on the inputs.
void Walks::collect(const Parameters& parameters) {
    first_detour = traces[0].notebook.nodes().size();
    std::set<std::size_t> wanted;
    std::set<std::size_t> main;  // nodes that lead to the output
    for (StageTrace& trace : traces) {
        Notebook& nb = trace.notebook;
        const auto last = trace.find(found_->is_simplified ? "all_context_vecs" : "context_vec");
        if (!last) {
            throw DoesNotFit("the stage has no context vectors.");
        }
        output = *last;
        const auto leading_to = [&](std::vector<std::size_t> pending) {
            std::set<std::size_t> nodes;
            while (!pending.empty()) {
                const std::size_t id = pending.back();
                pending.pop_back();
                if (nodes.insert(id).second) {
                    const std::vector<std::size_t>& inputs = nb.nodes()[id].call.inputs;
                    pending.insert(pending.end(), inputs.begin(), inputs.end());
                }
            }
            return nodes;
        };
        for (const std::size_t id : leading_to({output})) {  // none if dropped weights were given
            softmax = nb.nodes()[id].call.operation == &softmax_op ? id : softmax;
        }
        main = leading_to({output, softmax});
        wanted = main;
        if (const auto normalised = trace.find("masked_simple_norm"); normalised && form_.is_masked) {
            wanted.merge(leading_to({*normalised}));
        }
        const Var scaled_masked{&nb, nb.nodes()[softmax].call.inputs[0]};
        Var scores = scaled_masked;
        std::optional<Var> mask;
        while (nb.nodes()[scores.id].call.operation != &matmul_op) {
            const Call& call = nb.nodes()[scores.id].call;
            if (call.operation == &masked_fill_op) {
                mask = Var{&nb, call.inputs[1]};
            }
            scores = {&nb, call.inputs.at(0)};
        }
        const Var queries{&nb, nb.nodes()[scores.id].call.inputs[0]};
        const Var keys{&nb, nb.nodes()[scores.id].call.inputs[1]};
        const bool scales = scaled_masked.id != scores.id;
        const Number root = literal(std::sqrt(static_cast<double>(queries.value().size(-1))));
        const Var scaled = scales ? scores / root : scores;
        if (scales) {
            queries / root;
            keys / root;
            queries / literal(std::pow(static_cast<double>(queries.value().size(-1)), 0.25));
            keys / literal(std::pow(static_cast<double>(queries.value().size(-1)), 0.25));
        }
        const auto parts_of_softmax = [&](Var x) {
            const Var e = exp(x);
            sum(e, -1, true);
            const Var most = amax(x, -1, true);
            const Var shifted = exp(x - most);
            sum(shifted, -1, true);
            return std::pair(e, shifted);
        };
        parts_of_softmax(scaled_masked);
        if (mask) {
            const Var weights = attn::softmax(scaled, -1);
            const Var seen = as_float(logical_not(*mask));
            const auto [e, shifted] = parts_of_softmax(scaled);
            for (const Var before_mask : {weights, e, shifted}) {
                const Var kept = before_mask * seen;
                sum(kept, -1, true);
            }
        }
        for (std::size_t id = first_detour; id < nb.nodes().size(); ++id) {
            wanted.insert(id);
        }
    }
    tensors.clear();
    std::set<std::size_t> moving;  // nodes that depend on the inputs
    const Nodes& nodes = traces[0].notebook.nodes();
    for (std::size_t id = 0; id < nodes.size(); ++id) {
        const Node& node = nodes[id];
        const bool source = node.name == "inputs" || node.name == "batch";
        if (source ||
            std::ranges::any_of(node.call.inputs, [&](auto input) { return moving.contains(input); })) {
            moving.insert(id);
        }
        if (!moving.contains(id) || !wanted.contains(id) || node.value.count() < 2) {
            continue;
        }
        WalkedTensor one{id, {}, {}, batch_ > 1};
        if (batch_ > 1) {
            one.sizes.push_back(batch_);
        }
        const Shape& shape = node.value.shape();
        for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
            const std::size_t size = shape[axis];
            const std::size_t d = parameters.num_heads > 0 ? parameters.d_out / parameters.num_heads : 0;
            if (axis + 1 == shape.rank() && form_.heads > 1 && size > d && d > 0 && size % d == 0 &&
                size != n) {
                one.sizes.push_back(size / d);
                one.sizes.push_back(d);
            } else if (size != 1) {
                one.sizes.push_back(size);
            }
        }
        std::erase(one.sizes, std::size_t{1});
        one.is_square = shape.rank() > 1 && shape[shape.rank() - 1] == n && shape[shape.rank() - 2] == n;
        for (const StageTrace& trace : traces) {
            const auto numbers = trace.node(id).value.values();
            one.numbers.insert(one.numbers.end(), numbers.begin(), numbers.end());
        }
        tensors.push_back(std::move(one));
    }
    if (batch_ > 1) {  // code may continue with one sequence of the batch
        for (std::size_t i = 0, count = tensors.size(); i < count; ++i) {
            WalkedTensor one = tensors[i];
            one.has_batch = false;
            one.sizes.erase(one.sizes.begin());
            const auto size = static_cast<std::ptrdiff_t>(one.numbers.size() / batch_);
            for (std::ptrdiff_t item = 0; item < static_cast<std::ptrdiff_t>(batch_); ++item) {
                const auto from = tensors[i].numbers.begin() + item * size;
                one.numbers.assign(from, from + size);
                tensors.push_back(one);
            }
        }
    }
    std::stable_partition(tensors.begin(), tensors.end(),
                          [&](const WalkedTensor& one) { return main.contains(one.node); });
}

// Compares the calls of one layer with its walks.
class Comparison {
public:
    Comparison(const Recording& recording, const std::vector<std::optional<std::size_t>>& makers,
               const Found& found, const Walks& walks);

    // The recorded weights after dropout, if they are right; in the order of the walked ones.
    std::optional<std::vector<float>> dropped_weights() const;
    bool is_right() const { return is_right_; }
    std::size_t right_calls() const;
    void fill(AlignedLayer& layer) const;

private:
    const RecordedTensor& tensor(std::size_t id) const { return recording_->tensors[id]; }
    bool is_moving(std::size_t id) const { return depends_[id] != 0 || from_inputs_[id]; }
    bool is_right_tensor(std::size_t id) const;
    bool is_weight(std::size_t id) const;
    void follow_dependencies();
    void match_results();
    bool keeps_or_drops(const RecordedCall& call) const;
    void find_departure();
    void find_late_departure();
    void find_departures_beside();
    void follow_right_results(const std::vector<bool>& chosen, std::size_t end);
    bool departs_at(std::size_t at) const;
    void spell_difference(AlignedLayer& layer) const;
    std::string name_of_node(std::size_t node) const;

    const Recording* recording_;
    const std::vector<std::optional<std::size_t>>* makers_;
    const Found* found_;
    const Walks* walks_;
    std::vector<unsigned> depends_;  // of each tensor: the projections from which it comes, as bits
    std::vector<bool> from_inputs_;  // it comes from the inputs, without a projection
    unsigned used_ = 0;              // the projections that the code makes, as bits
    std::vector<bool> is_row_;       // it comes from a projection of one token
    std::vector<double> rounding_;   // of the coarsest type among the tensors before it
    std::map<std::size_t, ValueMatch> matches_;  // by tensor
    std::vector<bool> on_way_;                   // of each call: it leads to the output
    std::vector<bool> comes_right_;              // of each call: something after it is right
    std::vector<std::size_t> outputs_;           // tensors that are the stage's output
    std::optional<std::size_t> departs_, drop_;
    bool is_right_ = false;
};

Comparison::Comparison(const Recording& recording, const std::vector<std::optional<std::size_t>>& makers,
                       const Found& found, const Walks& walks)
    : recording_(&recording), makers_(&makers), found_(&found), walks_(&walks) {
    follow_dependencies();
    match_results();
    find_late_departure();
    find_departure();
    find_departures_beside();
}

void Comparison::follow_dependencies() {
    const std::size_t count = recording_->tensors.size();
    depends_.assign(count, 0);
    from_inputs_.assign(count, false);
    is_row_.assign(count, false);
    rounding_.resize(count);
    std::ranges::transform(recording_->tensors, rounding_.begin(), rounding_of);
    from_inputs_[found_->x] = true;
    std::map<std::size_t, unsigned> roots;
    for (const auto& [role, p] : found_->by_role) {
        if (p.is_used) {
            roots[p.result] |= role == 'f' ? all_roles : 1U << roles.find(role);
        }
    }
    for (const auto& [role, result] : found_->rows) {
        roots[result] |= 1U << roles.find(role);
        is_row_[result] = true;
    }
    if (found_->is_simplified) {
        roots[recording_->calls[found_->first_call].results[0]] = all_roles;
    }
    for (const auto& [result, bits] : roots) {
        used_ |= bits;
    }
    for (std::size_t i = 0; i < found_->end; ++i) {
        const RecordedCall& call = recording_->calls[i];
        for (const std::size_t result : call.results) {
            if ((*makers_)[result] != i) {
                continue;
            }
            for (const std::size_t operand :
                 is_unrelated(call.op) ? std::vector<std::size_t>() : call.operands) {
                depends_[result] |= depends_[operand];
                from_inputs_[result] = from_inputs_[result] || from_inputs_[operand];
                rounding_[result] = std::max(rounding_[result], rounding_[operand]);
                is_row_[result] = is_row_[result] || is_row_[operand];
            }
            if (const auto root = roots.find(result); root != roots.end()) {
                depends_[result] |= root->second;
            }
        }
    }
}

// Returns true for dropout whose result keeps or drops each number.
bool Comparison::keeps_or_drops(const RecordedCall& call) const {
    if (call.op.find("dropout") == std::string::npos || call.operands.empty()) {
        return false;
    }
    const RecordedTensor& before = tensor(call.operands[0]);
    const RecordedTensor& after = tensor(call.results[0]);
    const double p = call.number("p", call.number("", 0.0));
    bool agrees = before.numbers.size() == after.numbers.size() && !after.numbers.empty() && p < 1.0;
    for (std::size_t i = 0; agrees && i < after.numbers.size(); ++i) {
        const double kept = static_cast<double>(before.numbers[i]) / (1.0 - p);
        agrees = after.numbers[i] == 0.0F || std::abs(static_cast<double>(after.numbers[i]) - kept) <=
                                                 rounding_[call.results[0]] * std::abs(kept);
    }
    return agrees;
}

void Comparison::match_results() {
    const std::size_t output = walks_->output;
    std::vector<WalkedTensor> walked_outputs;
    std::ranges::copy_if(walks_->tensors, std::back_inserter(walked_outputs),
                         [&](const WalkedTensor& one) { return one.node == output; });
    for (std::size_t i = 0; i < found_->end; ++i) {
        const RecordedCall& call = recording_->calls[i];
        for (const std::size_t result : call.results) {
            if ((*makers_)[result] != i || !is_moving(result)) {
                continue;
            }
            if (auto match =
                    match_value(tensor(result), walks_->tensors, rounding_[result], is_row_[result])) {
                const auto whole = match->node == output ? match
                                                         : match_value(tensor(result), walked_outputs,
                                                                       rounding_[result], is_row_[result]);
                if (depends_[result] == used_ && whole && !whole->is_permuted) {
                    is_right_ = true;
                    outputs_.push_back(result);
                }
                matches_.emplace(result, *std::move(match));
            } else if (const auto before =
                           call.operands.empty() ? matches_.end() : matches_.find(call.operands[0]);
                       before != matches_.end() && depends_[result] != 0 && keeps_or_drops(call) &&
                       (before->second.node == walks_->softmax || before->second.node == output)) {
                matches_.emplace(result, before->second);
                if (before->second.node == walks_->softmax) {
                    drop_ = result;
                } else {
                    is_right_ = true;
                    outputs_.push_back(result);
                }
            }
        }
    }
}

std::optional<std::vector<float>> Comparison::dropped_weights() const {
    if (!drop_) {
        return std::nullopt;
    }
    const ValueMatch& match = matches_.at(*drop_);
    const auto walked = std::ranges::find(walks_->tensors, match.node, &WalkedTensor::node);
    return in_walked_order(tensor(*drop_), *walked, match);
}

bool Comparison::is_weight(std::size_t id) const {
    const auto has = [&](const Projection& p) { return p.weight == id || p.bias == id; };
    return (found_->out_proj && has(*found_->out_proj)) ||
           std::ranges::any_of(found_->by_role, [&](const auto& one) { return has(one.second); });
}

bool Comparison::is_right_tensor(std::size_t id) const {
    if (!(*makers_)[id] || id == found_->x) {
        return true;
    }
    return is_moving(id) ? matches_.contains(id) || (depends_[id] == 0 && !matches_.contains(id))
                         : may_be_causal_mask(tensor(id));
}

std::size_t Comparison::right_calls() const {
    std::size_t count = 0;
    for (const auto& [id, match] : matches_) {
        count += depends_[id] != 0;
    }
    return count;
}

// Finds a call behind the right output that joins it with another tensor of the layer, or multiplies it by
// one of the layer's weights.
void Comparison::find_late_departure() {
    std::set<std::size_t> after(outputs_.begin(), outputs_.end());
    for (std::size_t i = 0; i < found_->end && !departs_; ++i) {
        const RecordedCall& call = recording_->calls[i];
        const auto is_after = [&](std::size_t id) { return after.contains(id); };
        if (call.results.empty() || after.contains(call.results[0]) ||
            std::ranges::none_of(call.operands, is_after)) {
            continue;
        }
        const bool joins = std::ranges::any_of(call.operands, [&](std::size_t id) {
            return !is_after(id) && (is_weight(id) || (matches_.contains(id) && depends_[id] != 0));
        });
        if (joins) {
            departs_ = i;
            is_right_ = false;
        } else if (kind_of(call.op) == "layout" || call.op.find("dropout") != std::string::npos) {
            after.insert(call.results.begin(), call.results.end());
        }
    }
}

void Comparison::find_departure() {
    const std::vector<RecordedCall>& calls = recording_->calls;
    on_way_.assign(calls.size(), false);
    comes_right_.assign(calls.size(), false);
    // The output is the last result that depends on most projections.
    std::optional<std::size_t> last;
    int most = 0;
    if (!outputs_.empty()) {
        last = (*makers_)[outputs_.back()];
    }
    for (std::size_t i = found_->first_call; i < found_->end && outputs_.empty(); ++i) {
        for (const std::size_t result : calls[i].results) {
            const int bits = std::popcount(depends_[result]);
            if (bits >= most && bits > 0 && (*makers_)[result] == i) {
                most = bits;
                last = i;
            }
        }
    }
    if (!last) {
        return;
    }
    std::vector<std::size_t> pending{*last};
    on_way_[*last] = true;
    while (!pending.empty()) {
        const RecordedCall& call = calls[pending.back()];
        pending.pop_back();
        for (const std::size_t operand : call.operands) {
            const auto maker = (*makers_)[operand];
            if (operand != found_->x && !is_weight(operand) && maker && !on_way_[*maker]) {
                on_way_[*maker] = true;
                pending.push_back(*maker);
            }
        }
    }
    follow_right_results(on_way_, *last + 1);
    for (std::size_t i = 0; i <= *last && !is_right_ && !departs_; ++i) {
        if (on_way_[i] && departs_at(i)) {
            departs_ = i;
        }
    }
    const bool has_output =
        std::ranges::any_of(calls[*last].results, [&](std::size_t id) { return matches_.contains(id); });
    is_right_ = is_right_ || (!departs_ && has_output && most == std::popcount(used_));
}

// Marks the calls with a right result behind them.
void Comparison::follow_right_results(const std::vector<bool>& chosen, std::size_t end) {
    comes_right_.assign(recording_->calls.size(), false);
    std::vector<bool> tensor_comes_right(recording_->tensors.size());
    for (std::size_t i = end; i-- > 0;) {
        const RecordedCall& call = recording_->calls[i];
        if (!chosen[i]) {
            continue;
        }
        bool after = false;
        bool here = false;
        for (const std::size_t result : call.results) {
            after = after || tensor_comes_right[result];
            const auto match = matches_.find(result);
            here = here || (match != matches_.end() && !match->second.is_swapped && depends_[result] != 0);
        }
        comes_right_[i] = after;
        for (const std::size_t operand : call.operands) {
            tensor_comes_right[operand] = tensor_comes_right[operand] || after || here;
        }
    }
}

// Returns true if the operands are right, the result is not, and nothing behind it is.
bool Comparison::departs_at(std::size_t at) const {
    const RecordedCall& call = recording_->calls[at];
    if (comes_right_[at] || call.results.empty()) {
        return false;
    }
    const std::vector<std::size_t>& shape = tensor(call.results[0]).shape;
    const std::size_t rank = shape.size();
    if (!is_moving(call.results[0]) &&
        (call.operands.empty() || rank < 2 || shape[rank - 1] != walks_->n || shape[rank - 2] != walks_->n)) {
        return false;  // of constants, only masks are judged
    }
    const bool right = std::ranges::any_of(call.results, [&](std::size_t id) {
        const auto match = matches_.find(id);
        const bool turned =
            match != matches_.end() && match->second.is_swapped && kind_of(call.op) != "layout";
        return is_right_tensor(id) && !turned;
    });
    return !right && std::ranges::all_of(call.operands, [&](std::size_t id) { return is_right_tensor(id); });
}

// Judges the other branches of a script: its calls that attention consists of. Others may be the reader's own
// experiments.
void Comparison::find_departures_beside() {
    const std::vector<RecordedCall>& calls = recording_->calls;
    std::vector<bool> own(calls.size());
    std::vector<bool> used(recording_->tensors.size());  // by a call of the layer
    for (std::size_t i = found_->end; i-- > 0;) {
        const auto depends = [&](std::size_t id) { return (*makers_)[id] == i && depends_[id] != 0; };
        own[i] = std::ranges::any_of(calls[i].results, depends);
        const bool feeds = std::ranges::any_of(calls[i].results, [&](std::size_t id) { return used[id]; });
        for (const std::size_t operand : calls[i].operands) {
            used[operand] = used[operand] || own[i] || (feeds && depends_[operand] == 0);
        }
        own[i] = own[i] || feeds;
    }
    follow_right_results(own, found_->end);
    for (std::size_t i = 0; i < found_->end && (!departs_ || i < *departs_); ++i) {
        const RecordedCall& call = calls[i];
        const std::string_view kind = kind_of(call.op);
        const bool scales =
            kind == "scale" &&
            (call.operands.size() == 1 ||
             std::ranges::any_of(call.operands, [&](std::size_t id) { return !is_moving(id); }));
        if (own[i] && call.module.empty() &&
            (scales || is_one_of(kind, {"matmul", "softmax", "masked_fill", "triangle"})) && departs_at(i)) {
            departs_ = i;
            is_right_ = false;
            on_way_[i] = true;
            break;
        }
    }
}

std::string Comparison::name_of_node(std::size_t node) const {
    const Notebook& nb = walks_->traces[0].notebook;
    return node < walks_->first_detour ? expression(nb, node, Language::torch) : "";
}

// Finds the stage's call with the operands of the call that departs, and says how they differ.
void Comparison::spell_difference(AlignedLayer& layer) const {
    const RecordedCall& call = recording_->calls[*departs_];
    const Notebook& nb = walks_->traces[0].notebook;
    const std::string_view kind = kind_of(call.op);
    std::vector<std::size_t> operands;  // nodes
    for (const std::size_t id : call.operands) {
        if (const auto match = matches_.find(id); match != matches_.end()) {
            operands.push_back(match->second.node);
        }
    }
    const auto uses_any = [&](std::size_t id, bool of_kind) {
        const Node& node = nb.nodes()[id];
        return (!of_kind || kind_of(node.call.operation->name) == kind) &&
               std::ranges::any_of(node.call.inputs, [&](std::size_t input) {
                   return std::ranges::any_of(operands, [&](std::size_t operand) {
                       return operand == input ||
                              identical(nb.nodes()[operand].value, nb.nodes()[input].value);
                   });
               });
    };
    std::set<std::size_t> own;
    for (const WalkedTensor& walked : walks_->tensors) {
        if (walked.node < walks_->first_detour) {
            own.insert(walked.node);
        }
    }
    const auto first = [&](const auto& test) -> std::optional<std::size_t> {
        const auto found = std::ranges::find_if(own, test);
        return found == own.end() ? std::nullopt : std::optional(*found);
    };
    const auto same_kind = [&](std::size_t id) {
        return kind_of(nb.nodes()[id].call.operation->name) == kind;
    };
    std::optional<std::size_t> stage_call;
    if (kind == "triangle") {
        for (std::size_t id = 0; id < walks_->first_detour && !stage_call; ++id) {
            stage_call = nb.nodes()[id].call.operation == &triu_op ? std::optional(id) : std::nullopt;
        }
    }
    if (!stage_call && kind == "softmax") {
        stage_call = walks_->softmax;
    }
    std::optional<std::size_t> other_side;  // the operand of a product that differs
    if (kind == "matmul" && operands.size() == 2) {
        const auto ordered = [](const Tensor& x) {
            std::vector<float> values(x.values().begin(), x.values().end());
            std::ranges::sort(values);
            return values;
        };
        for (const std::size_t id : own) {
            const Call& product = nb.nodes()[id].call;
            if (kind_of(product.operation->name) != "matmul" || product.inputs.size() != 2 ||
                std::ranges::any_of(operands, [&](std::size_t operand) { return operand >= id; })) {
                continue;
            }
            for (const std::size_t side : {0U, 1U}) {
                const auto same = [&](std::size_t s) {
                    return ordered(nb.nodes()[operands[s]].value) ==
                           ordered(nb.nodes()[product.inputs[s]].value);
                };
                if (!other_side && same(1 - side) && !same(side)) {
                    stage_call = id;
                    other_side = side;
                }
            }
        }
    }
    stage_call = stage_call ? stage_call : first([&](std::size_t id) { return uses_any(id, true); });
    const std::optional<std::size_t> next = first([&](std::size_t id) { return uses_any(id, false); });
    stage_call = stage_call ? stage_call : next ? next : first(same_kind);
    if (!stage_call) {
        return;
    }
    std::size_t line = *stage_call;  // the line of code that contains the call
    for (std::size_t id = line; nb.nodes()[line].name.empty() && ++id < walks_->first_detour;) {
        if (std::ranges::find(nb.nodes()[id].call.inputs, line) != nb.nodes()[id].call.inputs.end()) {
            line = id;
        }
    }
    layer.right_line = nb.nodes()[line].name.empty() ? "" : statement(nb, line, Language::torch);
    const Call& right = nb.nodes()[*stage_call].call;
    const double dim = call.number("dim", call.number("", -1.0));
    if (kind == "softmax") {
        const auto before = [&](std::size_t id) { return nb.nodes()[id].call.inputs; };
        const double rank = static_cast<double>(tensor(call.operands[0]).shape.size());
        if (dim != -1.0 && dim != rank - 1) {
            layer.yours = fmt::format("dim={}", dim);
            layer.right = "dim=-1";
        } else if (!operands.empty() && !before(right.inputs[0]).empty() &&
                   operands[0] == before(right.inputs[0])[0]) {
            const std::string whole = expression(nb, right.inputs[0], Language::torch);
            const std::string part = expression(nb, operands[0], Language::torch);
            layer.right = whole.starts_with(part) ? whole.substr(part.size() + 1) : whole;
        }
    } else if (kind == "triangle") {
        layer.yours = fmt::format("{}(diagonal={})", call.op, call.number("diagonal", call.number("", 0.0)));
        layer.right = "triu(diagonal=1)";
    } else if (kind == "scale" && kind_of(right.operation->name) == "scale") {
        layer.yours = fmt::format("{} {:.6g}", call.op.find("div") == std::string::npos ? "*" : "/",
                                  call.number("", call.number("other", 0.0)));
        const std::string whole = expression(nb, *stage_call, Language::torch);
        const std::string part = name_of_node(right.inputs[0]);
        layer.right =
            whole.starts_with(part) && part.size() < whole.size() ? whole.substr(part.size() + 1) : whole;
    } else if (kind == "matmul" && operands.size() == 2 && other_side) {
        layer.yours = name_of_node(operands[*other_side]);
        layer.right = name_of_node(right.inputs[*other_side]);
    }
    if (layer.right.size() > 60 || layer.yours.size() > 60 || layer.yours == layer.right) {
        layer.yours = layer.right = "";
    }
    if (layer.right_line.size() > 160) {
        layer.right_line = "";
    }
}

void Comparison::fill(AlignedLayer& layer) const {
    const StageTrace& trace = walks_->traces[0];
    layer.stage = walks_->stage;
    layer.parameters = trace.parameters;
    layer.weights = walks_->places;
    layer.is_right = is_right_;
    layer.departs = departs_;
    bool follows = false;
    for (std::size_t i = 0; i < found_->end; ++i) {
        const RecordedCall& call = recording_->calls[i];
        const bool own = std::ranges::any_of(
            call.results, [&](std::size_t id) { return (*makers_)[id] == i && depends_[id] != 0; });
        if (!on_way_[i] || (!own && i != departs_)) {
            continue;
        }
        AlignedCall aligned{i, CallVerdict::detour, ""};
        for (const std::size_t id : call.results) {
            if (const auto match = matches_.find(id); match != matches_.end()) {
                aligned = {i, CallVerdict::right, name_of_node(match->second.node)};
                const Node& node = trace.node(match->second.node);
                if (node.role == Role::step && match->second.node < walks_->first_detour) {
                    layer.output = node.name;
                    layer.place = trace.place(match->second.node);
                }
            }
        }
        if (i == departs_) {
            aligned = {i, CallVerdict::departs, ""};
            follows = true;
        } else if (follows && aligned.verdict == CallVerdict::detour) {
            aligned.verdict = CallVerdict::follows;
        }
        layer.calls.push_back(aligned);
    }
    if (departs_) {
        spell_difference(layer);
    }
}

// Returns true if the layer's calls use a mask, or if its module has one that no call uses.
bool has_mask(const Recording& recording, const std::vector<std::optional<std::size_t>>& makers,
              const Found& found) {
    std::vector<bool> reached(recording.tensors.size());
    for (const auto& [role, p] : found.by_role) {
        reached[p.result] = reached[p.result] || p.is_used;
    }
    for (const auto& [role, result] : found.rows) {
        reached[result] = true;
    }
    const auto is_mask = [&](std::size_t id) {  // or a part of a wrong one
        const RecordedTensor& mask = recording.tensors[id];
        const std::size_t rank = mask.shape.size();
        const bool square =
            rank > 1 && mask.shape[rank - 1] > 1 && mask.shape[rank - 1] == mask.shape[rank - 2];
        return square && mask.has_numbers && mask.numbers[0] != mask.numbers[1] && may_be_causal_mask(mask);
    };
    for (std::size_t i = found.first_call; i < found.end; ++i) {
        const RecordedCall& call = recording.calls[i];
        const auto is_reached = [&](std::size_t id) { return reached[id]; };
        if (std::ranges::none_of(call.operands, is_reached) &&
            std::ranges::none_of(call.results, is_reached)) {
            continue;
        }
        const std::string_view kind = kind_of(call.op);
        const bool fused = call.op == "scaled_dot_product_attention";
        if (kind == "triangle" || kind == "masked_fill" ||
            (fused && (call.operands.size() > 3 || call.number("is_causal", 0.0) != 0.0))) {
            return true;
        }
        for (std::size_t id : call.operands) {
            // Constants lead back to the call that made a mask.
            for (int steps = 0; steps < 16 && !reached[id]; ++steps) {
                if (is_mask(id) || (makers[id] && kind_of(recording.calls[*makers[id]].op) == "triangle")) {
                    return true;
                }
                if (!makers[id] || recording.calls[*makers[id]].operands.empty()) {
                    break;
                }
                id = recording.calls[*makers[id]].operands[0];
            }
        }
        for (const std::size_t id : call.results) {
            reached[id] = true;
        }
    }
    const auto is_used = [&](std::size_t id) {
        return std::ranges::any_of(recording.calls, [&](const RecordedCall& call) {
            return std::ranges::find(call.operands, id) != call.operands.end();
        });
    };
    for (std::size_t id = 0; id < recording.tensors.size(); ++id) {
        if (recording.tensors[id].is_parameter && is_mask(id) && !is_used(id)) {
            return true;
        }
    }
    return false;
}

// Returns the ways in which the layer may be walked, the likeliest first.
std::vector<Form> forms(const Recording& recording, const std::vector<std::optional<std::size_t>>& makers,
                        const Found& found) {
    const auto width = [&](char role) {
        const bool fused = found.by_role.contains('f');
        const Projection& p = found.by_role.at(fused ? 'f' : role);
        return recording.tensors[p.weight].shape[p.is_in_out ? 1 : 0] / (fused ? 3 : 1);
    };
    Form form;
    form.is_masked = !found.is_simplified && has_mask(recording, makers, found);
    if (found.is_simplified) {
        return {form};
    }
    std::set<std::size_t> heads{found.heads.value_or(1)};
    const std::size_t d_out = width('q');
    for (std::size_t i = found.first_call; i < found.end && !found.heads; ++i) {
        for (const std::size_t id : recording.calls[i].results) {
            const std::vector<std::size_t>& shape = recording.tensors[id].shape;
            for (const std::size_t size : shape) {
                if (shape.size() > 2 && size > 0 && size < d_out && d_out % size == 0) {
                    heads.insert(size);
                    heads.insert(d_out / size);
                }
            }
        }
    }
    std::vector<Form> all;
    const RecordedTensor& x = recording.tensors[found.x];
    const bool whole = recording.calls[found.first_call].op == "multi_head_attention_forward";
    for (const bool first : {false, true}) {
        if ((first && x.shape.size() != 3) || (whole && !first && x.shape.size() == 3)) {
            continue;
        }
        for (const std::size_t h : heads) {
            const std::size_t shared = width('k') * h / d_out;
            if (d_out % h == 0 && shared > 0 && h % shared == 0 && width('k') == width('v')) {
                form.heads = h;
                form.kv_heads = shared;
                form.is_sequence_first = first;
                all.push_back(form);
            }
        }
    }
    const std::vector<Form> plain = all;
    const bool rotates = std::ranges::any_of(recording.calls, [](const RecordedCall& call) {
        return is_one_of(call.op, {"cos", "sin", "polar", "outer", "view_as_complex"});
    });
    for (const Form& one : rotates ? plain : std::vector<Form>()) {
        for (const Pairing pairing : {Pairing::halves, Pairing::neighbours}) {
            for (const double base : {usual_rotary_base, 500'000.0, 1'000'000.0}) {
                if (d_out / one.heads % 2 == 0) {
                    all.push_back(one);
                    all.back().rotary = pairing;
                    all.back().base = base;
                }
            }
        }
    }
    return all;
}

AlignedLayer Aligner::aligned(const Found& found) {
    AlignedLayer layer{.name = found.name.empty() ? recording_->calls[found.first_call].module : found.name,
                       .first_call = found.first_call,
                       .inputs = found.x,
                       .weights = {},
                       .calls = {}};
    if (const auto contradicts = contradiction(found)) {
        const Projection p = projection_at(*contradicts).value();
        layer.departs = contradicts;
        layer.calls.push_back({*contradicts, CallVerdict::departs, ""});
        layer.yours = std::string(tensor(p.weight).name());
        const auto right = found.by_role.find(role_of(tensor(p.result))->role);
        layer.right = right == found.by_role.end() ? "" : std::string(tensor(right->second.weight).name());
        return layer;
    }
    std::size_t most = 0;
    for (const Form& form : forms(*recording_, maker_, found)) {
        try {
            Walks walks(found, *recording_, form);
            walks.walk_all();
            std::optional<Comparison> comparison(std::in_place, *recording_, maker_, found, walks);
            if (const auto dropped = comparison->dropped_weights()) {
                walks.walk_all(&*dropped);
                comparison.emplace(*recording_, maker_, found, walks);
            }
            const std::size_t count = comparison->right_calls();
            if (count > most || comparison->is_right()) {
                most = count;
                layer.calls.clear();
                layer.is_masked = form.is_masked;
                layer.is_sequence_first = form.is_sequence_first;
                layer.rotary =
                    form.rotary == Pairing::none
                        ? ""
                        : fmt::format("{}:{:.0f}", form.rotary == Pairing::halves ? "halves" : "neighbours",
                                      form.base);
                layer.yours = layer.right = layer.right_line = "";
                comparison->fill(layer);
            }
            if (comparison->is_right()) {
                break;
            }
        } catch (const Error&) {  // the stage does not fit this form
        }
    }
    return layer;
}

std::vector<AlignedLayer> Aligner::layers() {
    std::vector<AlignedLayer> all;
    for (Found& found : find_layers()) {
        if (!found.is_simplified) {
            find_out_proj(found);
        }
        all.push_back(aligned(found));
    }
    return all;
}

}  // namespace

std::vector<AlignedLayer> align(const Recording& recording) {
    return Aligner(recording).layers();
}

}  // namespace attn
