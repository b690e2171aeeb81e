#include "diagnosis/layer_finder.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "diagnosis/recorded_ops.hpp"
#include "tensor/error.hpp"
#include "text/lists.hpp"

namespace attn {

namespace {

std::optional<RoleName> role_in(std::string_view name) {
    std::string lower(name);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    for (const std::string_view fused : {"query_key_value", "qkv", "kqv", "c_attn", "in_proj"}) {
        if (const std::size_t at = lower.find(fused); at != std::string::npos) {
            return RoleName{'f', lower.replace(at, fused.size(), "*")};
        }
    }
    for (const std::string_view pair : {"key_value", "kv"}) {
        const std::size_t at = lower.find(pair);
        if (at != std::string::npos && !contains(lower, "cache")) {
            return RoleName{'p', lower.replace(at, pair.size(), "*")};
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
        const std::size_t letter = part.size() == 2 && (part[0] == 'w' || part[0] == 'x') ? 1 : 0;
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

}  // namespace

std::optional<RoleName> role_of(const RecordedTensor& tensor) {
    for (const std::string& name : tensor.names) {
        if (auto role = role_in(name)) {
            return role;
        }
    }
    return std::nullopt;
}

bool AttentionLayer::is_weight(std::size_t id) const {
    const auto has = [&](const Projection& p) { return p.weight == id || p.bias == id; };
    return (out_proj && has(*out_proj)) ||
           std::ranges::any_of(by_role, [&](const auto& one) { return has(one.second); });
}

bool AttentionLayer::is_input(std::size_t id) const {
    return id == x || id == memory || contains(past, id);
}

std::size_t outputs_of(const Recording& recording, const Projection& p) {
    return recording.tensors[p.weight].size(p.is_in_out ? -1 : -2);
}

std::size_t width_of(const Recording& recording, const AttentionLayer& layer, char role) {
    const Projection& p = layer.by_role.at(layer.is_fused() ? 'f' : role);
    return p.to > 0 ? p.to - p.from : outputs_of(recording, p) / (layer.is_fused() ? 3 : 1);
}

LayerFinder::LayerFinder(const Recording& recording, bool joins_rows)
    : recording_(&recording), users_(recording.tensors.size()) {
    for (std::size_t i = 0; i < recording.calls.size(); ++i) {
        for (const std::size_t operand : recording.calls[i].operands) {
            users_[operand].push_back(i);
        }
    }
    for (std::size_t i = 0; i < recording.calls.size(); ++i) {
        projections_.push_back(read_projection(i));
    }
    if (joins_rows) {
        read_rows();
    }
}

namespace {

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

}  // namespace

std::size_t LayerFinder::whole_of(std::size_t id) const {
    return recording_->before(id, [](const RecordedCall& call) {
        return is_one_of(call.op, {"__getitem__", "unbind", "__iter__", "select", "narrow", "split", "chunk",
                                   "unsqueeze"});
    });
}

// Marks the projections of different parts of the same inputs by the same weight.
void LayerFinder::read_rows() {
    std::map<std::pair<std::size_t, std::size_t>, std::set<std::size_t>> parts;  // by inputs and weight
    for (const std::optional<Projection>& p : projections_) {
        if (p) {
            parts[{whole_of(p->x), p->weight}].insert(p->x);
        }
    }
    for (std::optional<Projection>& p : projections_) {
        if (!p) {
            continue;
        }
        const std::set<std::size_t>& of_whole = parts.at({whole_of(p->x), p->weight});
        if (of_whole.size() > 1 && !of_whole.contains(whole_of(p->x))) {
            p->x = whole_of(p->x);
            p->is_of_rows = true;
            p->is_used = false;
        }
    }
}

bool LayerFinder::has_rows() const {
    return std::ranges::any_of(projections_, [](const auto& p) { return p && p->is_of_rows; });
}

// Returns the roles that the names of these tensors say, or the usual order.
std::string LayerFinder::order_of(const std::vector<std::size_t>& ids) const {
    std::string order;
    for (const std::size_t id : ids) {
        const auto role = role_of(tensor(id));
        order += role && !contains(order, role->role) ? role->role : ' ';
    }
    return contains(order, ' ') ? std::string(roles) : order;
}

// Returns the projections to keys and values of a joint one, or also to queries if the code splits its result
// to fewer keys than queries; else the projection itself.
std::vector<std::pair<char, Projection>> LayerFinder::parts_of(char role, const Projection& p) const {
    std::vector<std::size_t> sizes;
    std::string order(roles);
    if (role == 'p') {
        sizes.assign(2, outputs_of(*recording_, p) / 2);
    }
    for (const std::size_t user : role == 'f' ? users_[p.result] : std::vector<std::size_t>()) {
        const RecordedCall& call = recording_->calls[user];
        if (call.kind == "layout" && call.results.size() == 3 && sizes.empty()) {
            for (const std::size_t id : call.results) {
                sizes.push_back(tensor(id).size(-1));
            }
            if (contains(path_of(tensor(p.weight)), "kqv")) {
                order = order_of(call.results);
            }
        }
    }
    const bool is_reordered = order != roles;
    if (role == 'f' && !is_reordered && (sizes.empty() || sizes[0] <= sizes[1] || sizes[1] != sizes[2])) {
        sizes.clear();
    }
    std::vector<std::pair<char, Projection>> parts;
    std::size_t from = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        Projection part = p;
        part.from = from;
        part.to = from += sizes[i];
        parts.emplace_back(order[order.size() - sizes.size() + i], part);
    }
    return parts.empty() || from != outputs_of(*recording_, p) ? std::vector{std::pair(role, p)} : parts;
}

// Returns true if the code takes queries, keys and values from the result.
bool LayerFinder::is_split_in_three(const Projection& p) const {
    return std::ranges::any_of(users_[p.result], [&](std::size_t user) {
        const RecordedCall& call = recording_->calls[user];
        return is_one_of(call.op, {"chunk", "split"}) && call.results.size() == roles.size() &&
               std::ranges::all_of(call.results, [&](std::size_t id) {
                   return tensor(id).size(-1) > 0 &&
                          tensor(id).size(-1) * roles.size() == outputs_of(*recording_, p);
               });
    });
}

// Adds a projection of some tokens to the layer of all, or begins this layer.
bool LayerFinder::add_rows(std::vector<AttentionLayer>& found, char role, const std::string& stem,
                           const Projection& p) const {
    if (!p.is_of_rows) {
        return false;
    }
    const char first = role == 'p' ? 'k' : role;
    auto layer = std::ranges::find_if(found, [&](const AttentionLayer& one) {
        const auto own = one.by_role.find(first);
        return one.x == p.x && one.stem == stem && one.is_fused() == (role == 'f') &&
               (own == one.by_role.end() || own->second.weight == p.weight);
    });
    if (layer == found.end()) {
        layer = found.insert(
            found.end(),
            {.first_call = p.call, .x = p.x, .name = common_name(tensor(p.weight)), .stem = stem});
    }
    for (const auto& [own, part] : parts_of(role, p)) {
        layer->by_role.try_emplace(own, part);
    }
    layer->rows.emplace_back(role, p.result);
    return true;
}

// Follows transpositions, and changes of shape if requested, to their operand.
std::size_t LayerFinder::origin(std::size_t id, bool over_shapes) const {
    return recording_->before(id, [&](const RecordedCall& call) {
        return over_shapes ? is_one_of(call.op, {"view", "reshape", "flatten", "contiguous"})
                           : is_one_of(call.op, {"T", "t", "mT", "transpose", "permute", "detach", "data"});
    });
}

// Returns true for a tensor that does not come from products: inputs, weights, or parts of them.
bool LayerFinder::is_source(std::size_t id) const {
    for (int steps = 0; steps < 16; ++steps) {
        if (!maker(id)) {
            return true;
        }
        const RecordedCall& call = *maker(id);
        const std::string_view kind = call.kind;
        const bool joins = is_one_of(kind, {"cat", "stack"});
        if (call.operands.empty() || is_random(call.op)) {
            return true;
        }
        if (is_one_of(kind, {"matmul", "softmax"}) || (call.operands.size() > 1 && !joins)) {
            return false;
        }
        id = call.operands[0];
    }
    return false;
}

std::optional<Projection> LayerFinder::read_projection(std::size_t at) const {
    const RecordedCall& call = recording_->calls[at];
    if (call.kind != "matmul" || call.operands.size() < 2 || call.results.empty()) {
        return std::nullopt;
    }
    const std::size_t first = first_factor(call);
    std::size_t x = call.operands[first];
    std::size_t weight = origin(call.operands[first + 1], false);
    const auto is_weight = [&](std::size_t id) {
        const RecordedTensor& w = tensor(id);
        return w.shape.size() == 2 && (w.is_parameter || is_source(id));
    };
    const auto is_named = [&](std::size_t id) { return tensor(id).is_parameter || role_of(tensor(id)); };
    if (const std::size_t left = origin(x, false);
        is_weight(left) && (!is_weight(weight) || (is_named(left) && !is_named(weight)))) {
        x = weight;
        if (x == call.operands[1]) {
            return std::nullopt;  // the tokens are columns
        }
        weight = left;
    }
    if (!is_weight(weight) || tensor(x).is_parameter || x == weight) {
        return std::nullopt;
    }
    Projection found{at, origin(x, true), weight, call.results[0]};
    if (call.operands.size() > 2) {
        found.bias = call.operands[first == 1 ? 0 : 2];
    }
    for (const std::size_t next : users_[found.result]) {
        const RecordedCall& adds = recording_->calls[next];
        if (found.bias) {
            break;
        }
        if (adds.kind == "add" && adds.operands.size() == 2) {
            for (const std::size_t side : {0U, 1U}) {
                std::size_t bias = adds.operands[1 - side];
                bias = recording_->before(bias, [&](const RecordedCall& call) {  // bias[:, None]
                    return tensor(call.results[0]).shape.size() > 1;
                });
                if (adds.operands[side] == found.result && tensor(bias).shape.size() == 1 &&
                    is_source(bias)) {
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
void LayerFinder::orient(Projection& p) const {
    const RecordedTensor& x = tensor(p.x);
    const RecordedTensor& w = tensor(p.weight);
    const RecordedCall& call = recording_->calls[p.call];
    // The tokens may have been merged from heads.
    const bool is_merged = w.shape[0] == w.shape[1] && w.shape[0] > 0 && x.numbers.size() % w.shape[0] == 0;
    const std::size_t in = is_merged ? w.shape[0] : x.size(-1);
    if (w.is_flat) {
        p.is_in_out = true;
        return;
    }
    const bool of_linear = !w.names.empty() && w.names[0].ends_with(".weight") && call.op != "addmm";
    p.is_in_out =
        w.shape[0] != w.shape[1] ? w.shape[0] == in && w.shape[1] != in : call.op != "linear" && !of_linear;
    if (w.shape[0] == in && w.shape[1] == in && !of_linear && w.has_numbers && x.has_numbers) {
        const RecordedTensor& y = tensor(call.results[0]);
        for (const bool in_out : {true, false}) {
            double sum = p.bias && call.operands.size() > 2 && tensor(*p.bias).has_numbers
                             ? static_cast<double>(tensor(*p.bias).numbers[0])
                             : 0.0;
            for (std::size_t i = 0; i < in && i < x.numbers.size(); ++i) {
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

// Follows layout and scaling to the projection that a tensor comes from.
OptionalIndex LayerFinder::projection_behind(std::size_t id, const std::vector<Projection>& all) const {
    for (int steps = 0; steps < 16; ++steps) {
        const auto found = std::ranges::find(all, id, &Projection::result);
        if (found != all.end()) {
            return found - all.begin();
        }
        if (!maker(id) || maker(id)->operands.empty()) {
            break;
        }
        id = maker(id)->operands[0];
    }
    return std::nullopt;
}

// Gives three projections of one input their roles: the first product of two of them is that of queries and
// keys.
std::optional<AttentionLayer> LayerFinder::layer_of_unnamed(const std::vector<Projection>& same) const {
    AttentionLayer layer{
        .first_call = same[0].call, .x = same[0].x, .name = common_name(tensor(same[0].weight))};
    for (std::size_t i = same[0].call + 1; i < recording_->calls.size(); ++i) {
        const RecordedCall& call = recording_->calls[i];
        if (is_sdpa(call) && call.operands.size() >= 3) {
            for (std::size_t r = 0; r < 3; ++r) {
                if (const auto at = projection_behind(call.operands[r], same)) {
                    layer.by_role[roles[r]] = same[*at];
                }
            }
            return layer.is_complete() ? std::optional(layer) : std::nullopt;
        }
        const std::size_t first = first_factor(call);
        if (call.kind != "matmul" || call.operands.size() < first + 2) {
            continue;
        }
        const auto left = projection_behind(call.operands[first], same);
        const auto right = projection_behind(call.operands[first + 1], same);
        if (left && right && *left != *right) {
            layer.by_role = {{'q', same[*left]}, {'k', same[*right]}, {'v', same[3 - *left - *right]}};
            return layer;
        }
    }
    return std::nullopt;
}

AttentionLayer LayerFinder::whole_module(std::size_t at) const {
    const RecordedCall& call = recording_->calls[at];
    AttentionLayer layer{
        .first_call = at, .x = call.operands[0], .name = common_name(tensor(call.operands[3]))};
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
    const double heads = call.arguments.size() > 1 ? call.arguments[1].second : 1.0;
    layer.heads = static_cast<std::size_t>(std::clamp(heads, 1.0, 1e6));
    return layer;
}

// Joins the projections of single tokens with those of all tokens.
void LayerFinder::join_rows(std::vector<AttentionLayer>& found) const {
    for (AttentionLayer& row : found) {
        if (tensor(row.x).shape.size() != 1 || !maker(row.x)) {
            continue;
        }
        for (AttentionLayer& whole : found) {
            const RecordedCall& call = *maker(row.x);
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
                row.by_role.clear();
                break;
            }
        }
    }
    std::erase_if(found, [&](const AttentionLayer& row) {
        return tensor(row.x).shape.size() == 1 && !row.is_complete();
    });
}

// Returns true if softmax is on the way from the earlier tensor to the later one.
bool LayerFinder::attends(std::size_t later, std::size_t earlier) const {
    std::vector<std::pair<std::size_t, bool>> pending{{later, false}};
    std::set<std::pair<std::size_t, bool>> seen;
    while (!pending.empty()) {
        const auto [id, attended] = pending.back();
        pending.pop_back();
        if (!seen.insert({id, attended}).second) {
            continue;
        }
        if (id == earlier && attended) {
            return true;
        }
        for (const std::size_t operand : maker(id) ? maker(id)->operands : std::vector<std::size_t>()) {
            const RecordedCall& call = *maker(id);
            pending.emplace_back(operand, attended || call.kind == "softmax" || is_sdpa(call));
        }
    }
    return false;
}

bool LayerFinder::is_norm_of(std::size_t id, std::size_t before) const {
    return maker(id) && contains(maker(id)->op, "norm") && maker(id)->operands[0] == before;
}

// Joins keys or values that are made from earlier inputs than the two other projections, or from the result
// of one of them. Also joins queries, keys and values if only some are made from normalised inputs.
void LayerFinder::join_strays(std::vector<AttentionLayer>& found) const {
    for (const AttentionLayer& lone : found) {
        const auto [role, p] = *lone.by_role.begin();
        for (AttentionLayer& layer : found) {
            if (lone.by_role.size() != 1 || layer.by_role.size() != 2 || layer.is_fused() ||
                layer.by_role.contains(role) || layer.stem != lone.stem || !contains(roles, role)) {
                continue;
            }
            const auto is_source = [&](const auto& one) { return one.second.result == lone.x; };
            const bool is_earlier = tensor(layer.x).shape == tensor(lone.x).shape && attends(layer.x, lone.x);
            if (role != 'q' && (is_earlier || std::ranges::any_of(layer.by_role, is_source))) {
                layer.by_role[role] = p;
                layer.stray = p.call;
                break;
            }
            if (is_norm_of(layer.x, lone.x) || is_norm_of(lone.x, layer.x)) {
                layer.stray = is_norm_of(layer.x, lone.x) ? p.call : layer.first_call;
                layer.x = is_norm_of(layer.x, lone.x) ? layer.x : lone.x;
                layer.is_stray_given = recording_->calls[*layer.stray].module != maker(layer.x)->module;
                layer.by_role[role] = p;
                layer.first_call = std::min(layer.first_call, lone.first_call);
                break;
            }
        }
    }
}

// Returns the tensors from which a tensor is computed, and which nothing computes; no parameters.
std::set<std::size_t> LayerFinder::sources_of(std::size_t id) const {
    std::set<std::size_t> sources;
    const auto is_computed = [&](std::size_t one) { return !tensor(one).is_parameter; };
    for (const std::size_t one : recording_->behind({id}, is_computed)) {
        if (is_computed(one) && (!maker(one) || maker(one)->operands.empty())) {
            sources.insert(one);
        }
    }
    return sources;
}

// Joins queries with keys and values of inputs that have nothing in common with theirs.
void LayerFinder::join_crossed(std::vector<AttentionLayer>& found) const {
    for (AttentionLayer& lone : found) {
        for (AttentionLayer& other : found) {
            const bool is_apart = std::ranges::none_of(roles, [&](char role) {
                return lone.by_role.contains(role) && other.by_role.contains(role);
            });
            const std::size_t before = lone.by_role.size();
            if (!is_apart || !lone.by_role.contains('q') || other.stem != lone.stem || before > 2 ||
                (before == 1 ? !other.by_role.contains('k') : other.by_role.size() != 1) ||
                tensor(other.x).shape.size() != tensor(lone.x).shape.size()) {
                continue;
            }
            std::set<std::size_t> shared = sources_of(lone.x);
            const std::set<std::size_t> of_other = sources_of(other.x);
            std::erase_if(shared, [&](std::size_t id) { return !of_other.contains(id); });
            if (shared.empty()) {
                if (before == 2) {  // keys and values of different inputs
                    lone.stray = lone.by_role.at(lone.by_role.contains('v') ? 'v' : 'k').call;
                }
                lone.by_role.insert(other.by_role.begin(), other.by_role.end());
                lone.first_call = std::min(lone.first_call, other.first_call);
                lone.memory = other.x;
                other.by_role.clear();
                break;
            }
        }
    }
}

// Returns the bias beside a weight, such as W_key.bias, if no call uses it.
OptionalIndex LayerFinder::bias_of(std::size_t weight) const {
    const std::string path = path_of(tensor(weight));
    const std::string name = path.substr(0, path.rfind("weight")) + "bias";
    for (std::size_t id = 0; id < recording_->tensors.size() && path.ends_with(".weight"); ++id) {
        if (tensor(id).is_parameter && users_[id].empty() && path_of(tensor(id)) == name) {
            return id;
        }
    }
    return std::nullopt;
}

// Finds weights that no call multiplies by their names.
void LayerFinder::add_unused(AttentionLayer& layer) const {
    const auto is_initialised_later = [&](std::size_t id) {
        return std::ranges::any_of(users_[id], [&](std::size_t call) {
            const std::vector<std::size_t>& results = recording_->calls[call].results;
            return call < layer.first_call && results.size() == 1 &&
                   tensor(results[0]).names == tensor(id).names;
        });
    };
    const Projection like = layer.by_role.begin()->second;
    for (const char role : roles) {
        if (layer.is_fused() || layer.by_role.contains(role)) {
            continue;
        }
        std::size_t nearest = recording_->tensors.size();
        for (std::size_t id = 0; id < recording_->tensors.size(); ++id) {
            const std::size_t distance = id > like.weight ? id - like.weight : like.weight - id;
            const auto is_alike = [&](const auto& one) {
                return tensor(one.second.weight).shape == tensor(id).shape;
            };
            if (distance >= nearest || std::ranges::none_of(layer.by_role, is_alike) ||
                is_initialised_later(id)) {
                continue;
            }
            const std::optional<RoleName> own = role_of(tensor(id));
            if (own && own->role == role && own->stem == layer.stem) {
                nearest = distance;
                layer.by_role[role] = {like.call,   like.x,         id,   like.result,
                                       bias_of(id), like.is_in_out, false};
            }
        }
    }
    if (layer.by_role.contains('q') && layer.by_role.contains('k') && !layer.by_role.contains('v')) {
        layer.by_role['v'] = layer.by_role['k'];  // the code ends with the weights
        layer.by_role['v'].is_used = false;
    }
}

std::vector<AttentionLayer> LayerFinder::layers() const {
    std::vector<AttentionLayer> found;
    std::map<std::size_t, std::vector<Projection>> unnamed;   // of each input
    std::vector<std::pair<std::size_t, Projection>> chained;  // the inputs, and a projection of a projection
    const auto require_few = [&](std::size_t most) {
        if (found.size() > most) {
            throw Error(
                "more than {} attention layers or parts of them, the limit; record fewer runs of the code.",
                most);
        }
    };
    for (std::size_t i = 0; i < recording_->calls.size(); ++i) {
        require_few(max_layers * roles.size());  // some are only parts, which are joined below
        const RecordedCall& call = recording_->calls[i];
        if (call.op == "multi_head_attention_forward" && call.operands.size() >= 5 && !call.results.empty() &&
            tensor(call.operands[3]).shape.size() == 2) {
            found.push_back(whole_module(i));
            continue;
        }
        const std::optional<Projection>& p = projection_at(i);
        if (!p) {
            continue;
        }
        std::optional<RoleName> role = role_of(tensor(p->weight));
        role = role ? role : role_of(tensor(p->result));
        const std::size_t out = outputs_of(*recording_, *p);
        const std::size_t in = tensor(p->weight).shape[p->is_in_out ? 0 : 1];
        const RecordedCall* const made = maker(p->weight);
        const bool whole = made == nullptr || !is_layout(*made);
        const bool is_fused = role ? role->role == 'f' : whole && (out == 3 * in || is_split_in_three(*p));
        if ((role || is_fused) && add_rows(found, is_fused ? 'f' : role->role, role ? role->stem : "", *p)) {
            continue;
        }
        if (is_fused) {
            found.push_back({.first_call = i, .x = p->x, .name = common_name(tensor(p->weight))});
            for (const auto& [own, part] : parts_of('f', *p)) {
                found.back().by_role[own] = part;
            }
        } else if (role) {
            const std::optional<RoleName> of_result = role_of(tensor(named_after(*p)));
            if (of_result && of_result->role != role->role &&
                std::ranges::any_of(found, [&](const AttentionLayer& layer) {
                    const auto same = layer.by_role.find(role->role);
                    return layer.x == p->x && layer.stem == role->stem && same != layer.by_role.end() &&
                           same->second.weight == p->weight;
                })) {
                continue;  // a second use of the same weight under the name of another role
            }
            const auto open = std::find_if(found.rbegin(), found.rend(), [&](const AttentionLayer& layer) {
                return layer.x == p->x && layer.stem == role->stem && !layer.is_fused() &&
                       !layer.by_role.contains(role->role == 'p' ? 'k' : role->role);
            });
            AttentionLayer& layer =
                open == found.rend() ? found.emplace_back(AttentionLayer{.first_call = i, .x = p->x}) : *open;
            for (const auto& [other, used] : layer.by_role) {
                layer.stray = used.weight == p->weight ? std::optional(i) : layer.stray;
            }
            for (const auto& [own, part] : parts_of(role->role, *p)) {
                layer.by_role[own] = part;
            }
            layer.stem = role->stem;
            layer.name = common_name(tensor(p->weight));
        } else {
            for (const auto& [x, projected] : unnamed) {
                if (contains(projected, p->x, &Projection::result)) {
                    chained.emplace_back(x, *p);
                }
            }
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
    for (const auto& [x, stray] : chained) {
        std::vector<Projection> same = unnamed[x];
        same.push_back(stray);
        auto layer = same.size() == roles.size() ? layer_of_unnamed(same) : std::nullopt;
        if (layer && layer->by_role.at('k').weight == stray.weight &&
            layer->by_role.at('q').result == stray.x) {
            layer->stray = stray.call;
            found.push_back(*std::move(layer));
        }
    }
    join_rows(found);
    join_strays(found);
    join_crossed(found);
    std::erase_if(found,
                  [](const AttentionLayer& layer) { return !layer.is_fused() && layer.by_role.size() < 2; });
    std::ranges::for_each(found, [&](AttentionLayer& layer) {
        add_unused(layer);
        for (auto& [role, p] : layer.by_role) {
            p.bias = p.bias ? p.bias : bias_of(p.weight);
        }
    });
    std::erase_if(found, [](const AttentionLayer& layer) { return !layer.is_complete(); });
    add_simplified(found);
    for (std::size_t i = 0; i < recording_->calls.size(); ++i) {
        if (std::ranges::any_of(found, [&](const AttentionLayer& layer) { return !layer.is_simplified; })) {
            break;  // the code has projections
        }
        if (auto layer = layer_of_given(i)) {
            found.push_back(*std::move(layer));
            break;
        }
    }
    require_few(max_layers);
    std::ranges::sort(found, {}, &AttentionLayer::first_call);
    find_past(found);
    for (AttentionLayer& layer : found) {
        layer.end = end_of(layer, found);
        if (!layer.is_simplified && !layer.is_given) {
            find_out_proj(layer);
        }
    }
    return found;
}

// Returns the whole inputs of which a tensor is a part: a matrix of which rows are read.
OptionalIndex LayerFinder::whole_inputs(std::size_t id) const {
    id = recording_->before(id, [](const RecordedCall& call) {
        return is_one_of(call.op, {"__getitem__", "unbind", "__iter__", "select", "T", "t", "mT", "transpose",
                                   "flip", "clone", "detach"});
    });
    const bool root = is_source(id) || maker(id)->kind == "add";
    return root && tensor(id).shape.size() == 2 && !tensor(id).is_parameter ? std::optional(id)
                                                                            : std::nullopt;
}

// Attention without weights: the inputs, or rows of them, are multiplied by themselves.
void LayerFinder::add_simplified(std::vector<AttentionLayer>& found) const {
    std::map<std::size_t, AttentionLayer> by_inputs;
    for (std::size_t i = 0; i < recording_->calls.size(); ++i) {
        const RecordedCall& call = recording_->calls[i];
        if (call.kind != "matmul" || call.operands.size() != 2) {
            continue;
        }
        const auto x = whole_inputs(call.operands[0]);
        if (!x || x != whole_inputs(call.operands[1]) ||
            std::ranges::any_of(found, [&](const AttentionLayer& layer) {
                return std::ranges::any_of(layer.by_role,
                                           [&](const auto& one) { return one.second.weight == *x; });
            })) {
            continue;
        }
        AttentionLayer& layer =
            by_inputs.try_emplace(*x, AttentionLayer{.first_call = i, .x = *x, .is_simplified = true})
                .first->second;
        layer.rows.emplace_back('q', call.results[0]);
    }
    for (auto& [x, layer] : by_inputs) {
        found.push_back(std::move(layer));
    }
}

// Returns the layer of a product of queries and keys that come from no projection, if a later product
// multiplies its result by values.
std::optional<AttentionLayer> LayerFinder::layer_of_given(std::size_t at) const {
    const RecordedCall& call = recording_->calls[at];
    const bool fused = is_sdpa(call);
    const std::size_t first = first_factor(call);
    if (!is_product(call) || call.operands.size() < first + (fused ? 3 : 2)) {
        return std::nullopt;
    }
    const auto is_given = [&](std::size_t id) {
        return is_source(id) && tensor(id).shape.size() > 1 && !tensor(id).is_parameter;
    };
    // Queries and keys may have been turned by their positions.
    const auto given_behind = [&](std::size_t id) {
        id = origin(id, false);
        const auto is_alike = [&](std::size_t one) { return tensor(one).shape == tensor(id).shape; };
        std::set<std::size_t> given;
        for (const std::size_t one : recording_->behind({id}, [&](std::size_t one) {
                 return !is_one_of(maker(one)->kind, {"matmul", "softmax"});
             })) {
            if (is_alike(one) && is_given(one) && (!maker(one) || maker(one)->operands.empty())) {
                given.insert(one);
            }
        }
        return given.size() == 1 ? *given.begin() : id;
    };
    const std::size_t q = given_behind(call.operands[first]);
    const std::size_t k = given_behind(call.operands[first + 1]);
    if (q == k || !is_given(q) || !is_given(k) || tensor(q).shape != tensor(k).shape) {
        return std::nullopt;
    }
    OptionalIndex v;
    if (fused) {
        v = origin(call.operands[2], false);
    }
    std::vector<bool> reached(recording_->tensors.size());
    reached[call.results[0]] = true;
    for (std::size_t i = at + 1; i < recording_->calls.size() && !v; ++i) {
        const RecordedCall& next = recording_->calls[i];
        if (!next.reads([&](std::size_t id) { return reached[id]; })) {
            continue;
        }
        for (const std::size_t operand : next.operands) {
            const std::size_t id = origin(operand, false);
            if (next.kind == "matmul" && !reached[operand] && is_given(id)) {
                v = id;
            }
        }
        for (const std::size_t id : next.results) {
            reached[id] = true;
        }
    }
    if (!v || !is_given(*v) || tensor(*v).shape != tensor(q).shape) {
        return std::nullopt;
    }
    AttentionLayer layer{.first_call = at, .x = q, .is_given = true};
    layer.by_role = {{'q', {at, q, q, q}}, {'k', {at, k, k, k}}, {'v', {at, *v, *v, *v}}};
    return layer;
}

// Finds the earlier calls of a layer whose keys it reads from a cache, behind its product of queries and
// keys.
void LayerFinder::find_past(std::vector<AttentionLayer>& found) const {
    std::map<std::size_t, std::size_t> owners;  // of the results of projections
    for (std::size_t i = 0; i < found.size(); ++i) {
        for (const auto& [role, p] : found[i].by_role) {
            owners.emplace(p.result, i);
        }
    }
    const auto layers_behind = [&](const std::vector<std::size_t>& ids) {
        std::set<std::size_t> layers;
        for (const std::size_t id :
             recording_->behind(ids, [&](std::size_t one) { return !owners.contains(one); })) {
            if (const auto owner = owners.find(id); owner != owners.end()) {
                layers.insert(owner->second);
            }
        }
        return layers;
    };
    for (std::size_t i = 1; i < found.size(); ++i) {
        const auto is_again = [&](const AttentionLayer& other) {
            return std::ranges::equal(other.by_role, found[i].by_role, [](const auto& a, const auto& b) {
                return a.first == b.first && a.second.weight == b.second.weight;
            });
        };
        const auto here = found.begin() + static_cast<std::ptrdiff_t>(i);
        const bool repeats = !found[i].by_role.empty() && std::any_of(found.begin(), here, is_again);
        for (std::size_t at = found[i].first_call; at < recording_->calls.size() && repeats; ++at) {
            const RecordedCall& call = recording_->calls[at];
            if (!is_product(call) || projections_[at]) {
                continue;
            }
            const std::set<std::size_t> behind = layers_behind(call.operands);
            if (!behind.contains(i)) {
                continue;
            }
            for (const std::size_t before : behind) {
                if (before < i && is_again(found[before])) {
                    found[i].past.push_back(found[before].x);
                    std::ranges::copy_if(found[before].by_role, std::back_inserter(found[i].past_by_role),
                                         [](const auto& one) { return one.first != 'q'; });
                }
            }
            break;
        }
    }
    std::erase_if(found, [&](const AttentionLayer& row) {
        return tensor(row.x).shape.size() == 1 && row.past.empty() &&
               std::ranges::none_of(found,
                                    [&](const AttentionLayer& next) { return contains(next.past, row.x); });
    });
}

// Returns the call with which the next layer begins that reads results of this one, or its cache.
std::size_t LayerFinder::end_of(const AttentionLayer& layer, const std::vector<AttentionLayer>& all) const {
    std::vector<bool> reached(recording_->tensors.size());
    for (const auto& [role, p] : layer.by_role) {
        reached[p.result] = reached[p.result] || p.is_used;
    }
    for (std::size_t i = layer.first_call; i < recording_->calls.size(); ++i) {
        const RecordedCall& call = recording_->calls[i];
        const auto first = std::ranges::lower_bound(all, i, {}, &AttentionLayer::first_call);
        const auto last = std::ranges::upper_bound(all, i, {}, &AttentionLayer::first_call);
        if (std::any_of(first, last, [&](const AttentionLayer& next) {
                const bool is_after = contains(next.past, layer.x);
                return &next != &layer && (reached[next.x] || is_after);
            })) {
            return i;
        }
        if (call.reads([&](std::size_t id) { return reached[id]; })) {
            for (const std::size_t id : call.results) {
                reached[id] = true;
            }
        }
    }
    return recording_->calls.size();
}

std::size_t LayerFinder::named_after(const Projection& p) const {
    std::size_t id = p.result;
    while (tensor(id).names.empty() && users_[id].size() == 1) {
        const RecordedCall& next = recording_->calls[users_[id][0]];
        if (next.kind != "layout" || next.line != recording_->calls[p.call].line ||
            next.results.size() != 1) {
            break;
        }
        id = next.results[0];
    }
    return id;
}

OptionalIndex LayerFinder::contradiction(const AttentionLayer& found) const {
    for (std::size_t i = 0; i < found.end && !found.is_fused() && !found.is_simplified; ++i) {
        const std::optional<Projection>& p = projection_at(i);
        if (!p || (p->x != found.x && p->x != found.memory)) {
            continue;
        }
        const auto of_weight = role_of(tensor(p->weight));
        const auto of_result = role_of(tensor(named_after(*p)));
        const bool plain =
            of_result && of_result->stem.size() <= 3 && roles.find(of_result->role) != std::string_view::npos;
        // The weight of another role, or that of another head again.
        const bool is_again =
            i > found.first_call && of_weight && of_weight->stem != found.stem &&
            std::any_of(projections_.begin(), projections_.begin() + static_cast<std::ptrdiff_t>(i),
                        [&](const auto& other) { return other && other->weight == p->weight; });
        if (!plain || !of_weight ||
            (of_weight->stem != found.stem ? !is_again || of_weight->role != of_result->role
                                           : of_weight->role == of_result->role)) {
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
void LayerFinder::find_out_proj(AttentionLayer& found) const {
    if (found.out_proj) {
        return;
    }
    std::set<std::size_t> reached;
    for (const auto& [role, p] : found.by_role) {
        reached.insert(p.result);
    }
    for (std::size_t i = found.first_call; i < found.end; ++i) {
        const RecordedCall& call = recording_->calls[i];
        const std::optional<Projection>& p = projection_at(i);
        const bool after = call.reads([&](std::size_t id) { return reached.contains(id); });
        if (p && after && !role_of(tensor(p->weight))) {
            // The stages have a square one; others are left to the code after the layer.
            const std::size_t d_out = width_of(*recording_, found, 'q');
            if (tensor(p->weight).shape == std::vector{d_out, d_out}) {
                found.out_proj = p;
            }
            return;
        }
        const bool all =
            std::ranges::all_of(call.operands, [&](std::size_t id) { return reached.contains(id); });
        if (after && (all || call.kind != "add")) {
            reached.insert(call.results.begin(), call.results.end());
        }
    }
    const std::size_t d_out = width_of(*recording_, found, 'q');
    for (std::size_t id = 0; id < recording_->tensors.size(); ++id) {
        const RecordedTensor& weight = tensor(id);
        if (weight.is_parameter && users_[id].empty() && weight.shape == std::vector{d_out, d_out} &&
            path_of(weight).ends_with(".weight") && common_name(weight) == found.name && !role_of(weight)) {
            found.out_proj = Projection{found.first_call, found.x, id, found.x, {}};
        }
    }
}

}  // namespace attn
