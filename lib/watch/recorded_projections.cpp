#include "watch/recorded_projections.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "text/lists.hpp"
#include "watch/recorded_ops.hpp"

namespace attn {

namespace {

// Returns the roles that the names of these tensors say, or the usual order.
std::string order_of(const Recording& recording, const std::vector<std::size_t>& ids) {
    std::string order;
    for (const std::size_t id : ids) {
        const auto role = role_of(recording.tensors[id]);
        order += role && !contains(order, role->role) ? role->role : ' ';
    }
    return contains(order, ' ') ? std::string(roles) : order;
}

// Returns true for a call that exchanges axes.
bool exchanges_axes(const RecordedCall& call) {
    return is_one_of(call.op, {"T", "t", "mT", "transpose", "permute"});
}

bool is_transposing(const RecordedCall& call) {
    return exchanges_axes(call) || is_one_of(call.op, {"detach", "data"});
}

struct Factors {
    std::size_t x, weight;
    bool is_in_out;  // the product takes the weight for one of shape (in, out)
};

// Returns the factors of a product with a weight.
std::optional<Factors> factors_of(const Recording& recording, const RecordedCall& call) {
    const std::size_t first = first_factor(call);
    if (call.kind != "matmul" || call.operands.size() < first + 2 || call.results.empty()) {
        return std::nullopt;
    }
    const auto is_weight = [&](std::size_t id) {
        const RecordedTensor& w = recording.tensors[id];
        return w.shape.size() == 2 && (w.is_parameter || is_source(recording, id));
    };
    const auto is_named = [&](std::size_t id) {
        return recording.tensors[id].is_parameter || role_of(recording.tensors[id]);
    };
    const auto is_turned = [&](std::size_t id) {
        bool turned = false;
        recording.before(id, [&](const RecordedCall& one) {
            turned = turned != exchanges_axes(one);
            return is_transposing(one);
        });
        return turned;
    };
    const std::size_t right = call.operands[first + 1];
    Factors found{call.operands[first], before_transposing(recording, right),
                  is_turned(right) == (call.op == "linear")};
    const std::size_t left = before_transposing(recording, found.x);
    if (is_weight(left) && (!is_weight(found.weight) || (is_named(left) && !is_named(found.weight)))) {
        if (found.weight == call.operands[1] && recording.tensors[found.weight].shape.size() > 1) {
            return std::nullopt;  // the tokens are columns
        }
        found = {found.weight, left, is_turned(found.x)};
    }
    const bool is_projection =
        is_weight(found.weight) && !recording.tensors[found.x].is_parameter && found.x != found.weight;
    return is_projection ? std::optional(found) : std::nullopt;
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

std::size_t outputs_of(const Recording& recording, const Projection& p) {
    return recording.tensors[p.weight].size(p.is_in_out ? -1 : -2);
}

std::string path_of(const RecordedTensor& weight) {
    const auto longest = std::ranges::max_element(weight.names, {}, &std::string::size);
    return longest == weight.names.end() ? "" : *longest;
}

std::size_t before_transposing(const Recording& recording, std::size_t id) {
    return recording.before(id, is_transposing);
}

std::size_t whole_of(const Recording& recording, std::size_t id) {
    return recording.before(id, [](const RecordedCall& call) {
        return is_one_of(call.op, {"__getitem__", "unbind", "__iter__", "select", "narrow", "split", "chunk",
                                   "unsqueeze"});
    });
}

bool is_root(const Recording& recording, std::size_t id) {
    const RecordedCall* const made = recording.maker(id);
    return made == nullptr || made->operands.empty();
}

bool is_source(const Recording& recording, std::size_t id) {
    for (int steps = 0; steps < 16; ++steps) {
        if (is_root(recording, id) || is_random(recording.maker(id)->op)) {
            return true;
        }
        const RecordedCall& call = *recording.maker(id);
        if (is_one_of(call.kind, {"matmul", "softmax"}) ||
            (call.operands.size() > 1 && !is_one_of(call.kind, {"cat", "stack"}))) {
            return false;
        }
        id = call.operands[0];
    }
    return false;
}

RecordedProjections::RecordedProjections(const Recording& recording, bool joins_rows)
    : recording_(&recording), users_(recording.tensors.size()) {
    for (std::size_t i = 0; i < recording.calls.size(); ++i) {
        for (const std::size_t operand : recording.calls[i].operands) {
            users_[operand].push_back(i);
        }
    }
    for (std::size_t i = 0; i < recording.calls.size(); ++i) {
        projections_.push_back(read(i));
    }
    if (joins_rows) {
        read_rows();
    }
}

std::optional<Projection> RecordedProjections::read(std::size_t at) const {
    const RecordedCall& call = recording_->calls[at];
    const auto factors = factors_of(*recording_, call);
    if (!factors) {
        return std::nullopt;
    }
    const std::size_t x = recording_->before(factors->x, [](const RecordedCall& moves) {
        return is_one_of(moves.op, {"view", "reshape", "flatten", "contiguous"});
    });
    Projection p{at, first_alike(x), factors->weight, call.results[0]};
    take_bias(p);
    p.is_in_out = is_in_out(p, factors->is_in_out);
    return p;
}

// Returns the first of the tensors that the same operation takes from the same one, with the same numbers:
// x[0] in each of three lines.
std::size_t RecordedProjections::first_alike(std::size_t id) const {
    const RecordedCall* const made = recording_->maker(id);
    if (made == nullptr || !is_layout(*made) || made->operands.empty()) {
        return id;
    }
    const auto is_alike = [&](std::size_t user) {
        const RecordedCall& other = recording_->calls[user];
        return other.op == made->op && other.results.size() == 1 &&
               tensor(other.results[0]).shape == tensor(id).shape && tensor(id).has_numbers &&
               tensor(other.results[0]).numbers == tensor(id).numbers;
    };
    const std::vector<std::size_t>& users = users_[made->operands[0]];
    const auto first = std::ranges::find_if(users, is_alike);
    return first == users.end() ? id : recording_->calls[*first].results[0];
}

// Takes the bias that the call adds, or the next one, whose result is then that of the projection.
void RecordedProjections::take_bias(Projection& p) const {
    const RecordedCall& call = call_of(p);
    if (call.operands.size() > 2) {
        p.bias = call.operands[first_factor(call) == 1 ? 0 : 2];
        return;
    }
    for (const std::size_t next : users_[p.result]) {
        const RecordedCall& adds = recording_->calls[next];
        if (adds.kind != "add" || adds.operands.size() != 2) {
            continue;
        }
        const std::size_t bias = recording_->before(adds.operands[adds.operands[0] == p.result ? 1 : 0],
                                                    [&](const RecordedCall& one) {  // bias[:, None]
                                                        return tensor(one.results[0]).shape.size() > 1;
                                                    });
        if (tensor(bias).shape.size() == 1 && is_source(*recording_, bias)) {
            p.bias = bias;
            p.result = adds.results[0];
            return;
        }
    }
}

// Returns true if the weight has shape (in, out), by the sizes, by its name, or by what the call computes.
bool RecordedProjections::is_in_out(const Projection& p, bool by_call) const {
    const RecordedTensor& x = tensor(p.x);
    const RecordedTensor& w = tensor(p.weight);
    const std::size_t in = w.shape[0];
    if (w.is_flat || in != w.shape[1]) {
        return w.is_flat || in == x.size(-1);
    }
    const std::string& op = call_of(p).op;
    if (!w.names.empty() && w.names[0].ends_with(".weight") && op != "addmm") {
        return false;
    }
    return is_one_of(op, {"einsum", "tensordot", "inner"}) ? is_in_out_by_numbers(p) : by_call;
}

// Compares the first row of the result with that of a product with a weight of shape (in, out).
bool RecordedProjections::is_in_out_by_numbers(const Projection& p) const {
    const RecordedTensor& x = tensor(p.x);
    const RecordedTensor& w = tensor(p.weight);
    const RecordedTensor& y = tensor(call_of(p).results[0]);
    const std::size_t in = w.shape[0], out = w.shape[1];
    if (!x.has_numbers || !w.has_numbers || !y.has_numbers || x.numbers.size() < in ||
        y.numbers.size() < out) {
        return true;
    }
    for (std::size_t column = 0; column < out; ++column) {
        double sum = 0.0;
        for (std::size_t i = 0; i < in; ++i) {
            sum += static_cast<double>(x.numbers[i]) * static_cast<double>(w.numbers[i * out + column]);
        }
        if (std::abs(sum - static_cast<double>(y.numbers[column])) > 1e-2 * std::abs(sum) + 1e-6) {
            return false;
        }
    }
    return true;
}

// Marks the projections of different parts of the same inputs by the same weight.
void RecordedProjections::read_rows() {
    std::map<std::pair<std::size_t, std::size_t>, std::set<std::size_t>> parts;  // by inputs and weight
    for (const std::optional<Projection>& p : projections_) {
        if (p) {
            parts[{whole_of(*recording_, p->x), p->weight}].insert(p->x);
        }
    }
    for (std::optional<Projection>& p : projections_) {
        if (!p) {
            continue;
        }
        const std::size_t whole = whole_of(*recording_, p->x);
        const std::set<std::size_t>& of_whole = parts.at({whole, p->weight});
        if (of_whole.size() > 1 && !of_whole.contains(whole)) {
            p->x = whole;
            p->is_of_rows = true;
            p->is_used = false;
        }
    }
}

bool RecordedProjections::has_rows() const {
    return std::ranges::any_of(projections_, [](const auto& p) { return p && p->is_of_rows; });
}

OptionalIndex RecordedProjections::unused_bias(std::size_t weight) const {
    const std::string path = path_of(tensor(weight));
    const std::string name = path.substr(0, path.rfind("weight")) + "bias";
    for (std::size_t id = 0; id < recording_->tensors.size() && path.ends_with(".weight"); ++id) {
        if (is_unused_parameter(id) && path_of(tensor(id)) == name) {
            return id;
        }
    }
    return std::nullopt;
}

std::size_t RecordedProjections::named_after(const Projection& p) const {
    std::size_t id = p.result;
    while (!role_of(tensor(id)) && users_[id].size() == 1) {
        const RecordedCall& next = recording_->calls[users_[id][0]];
        const auto is_by_its_line = [&](const RecordedCall::Caller& caller) {
            return caller.line == call_of(p).line && caller.file == call_of(p).file;
        };
        const bool is_on_its_line =
            next.line == call_of(p).line || std::ranges::any_of(next.callers, is_by_its_line);
        if (!is_layout(next) || !is_on_its_line || next.results.size() != 1) {
            break;
        }
        id = next.results[0];
    }
    return id;
}

// Returns the calls that have the projection's result as operand, also in another shape.
std::vector<std::size_t> RecordedProjections::users_of_result(const Projection& p) const {
    std::vector<std::size_t> all = users_[p.result];
    for (std::size_t i = 0; i < all.size(); ++i) {
        const RecordedCall& call = recording_->calls[all[i]];
        if (is_one_of(call.op, {"view", "reshape", "unflatten", "permute", "transpose"}) &&
            call.results.size() == 1) {
            const std::vector<std::size_t>& next = users_[call.results[0]];
            all.insert(all.end(), next.begin(), next.end());
        }
    }
    return all;
}

bool RecordedProjections::is_fused(const Projection& p) const {
    const RecordedCall* const made = recording_->maker(p.weight);
    const std::size_t out = outputs_of(*recording_, p);
    const auto is_third = [&](std::size_t id) {
        return tensor(id).size(-1) > 0 && tensor(id).size(-1) * roles.size() == out;
    };
    const std::vector<std::size_t> users = users_of_result(p);
    const auto splits_in_thirds = [&](std::size_t user) {
        const RecordedCall& call = recording_->calls[user];
        return is_one_of(call.op, {"chunk", "split"}) && call.results.size() == roles.size() &&
               std::ranges::all_of(call.results, is_third);
    };
    const auto takes_third = [&](std::size_t user) {  // y[..., :4]
        const RecordedCall& call = recording_->calls[user];
        return call.op == "__getitem__" && call.operands[0] == p.result && is_third(call.results[0]);
    };
    const auto unbinds_three = [&](std::size_t user) {
        const RecordedCall& call = recording_->calls[user];
        return call.op == "unbind" && call.results.size() == roles.size();
    };
    const auto is_alike = [&](const std::optional<Projection>& other) {
        return other && other->x == p.x && outputs_of(*recording_, *other) == out;
    };
    return (made == nullptr || !is_layout(*made)) &&
           (out == roles.size() * tensor(p.weight).shape[p.is_in_out ? 0 : 1] ||
            std::ranges::any_of(users, splits_in_thirds) ||
            std::ranges::count_if(users, takes_third) == std::ptrdiff_t(roles.size()) ||
            (std::ranges::any_of(users, unbinds_three) &&
             std::ranges::count_if(projections_, is_alike) == 1));
}

// Returns roles and their numbers of outputs; empty if the projection has one role, or equal parts in the
// usual order.
std::vector<std::pair<char, std::size_t>> RecordedProjections::sizes_of_parts(char role,
                                                                              const Projection& p) const {
    if (role == 'p') {
        const std::size_t half = outputs_of(*recording_, p) / 2;
        return {{'k', half}, {'v', half}};
    }
    const std::vector<RecordedCall>& calls = recording_->calls;
    const std::vector<std::size_t> users = users_of_result(p);
    const auto split = std::ranges::find_if(users, [&](std::size_t user) {
        return is_layout(calls[user]) && calls[user].results.size() == roles.size();
    });
    if (role != 'f' || split == users.end()) {
        return {};
    }
    const std::vector<std::size_t>& ids = calls[*split].results;
    const auto size = [&](std::size_t i) { return tensor(ids[i]).size(-1); };
    const std::string order =
        contains(path_of(tensor(p.weight)), "kqv") ? order_of(*recording_, ids) : std::string(roles);
    if (order == roles && (size(0) <= size(1) || size(1) != size(2))) {
        return {};
    }
    return {{order[0], size(0)}, {order[1], size(1)}, {order[2], size(2)}};
}

std::map<char, Projection> RecordedProjections::parts_of(char role, const Projection& p) const {
    std::map<char, Projection> parts;
    std::size_t from = 0;
    for (const auto& [own, size] : sizes_of_parts(role, p)) {
        Projection& part = parts[own] = p;
        part.from = from;
        part.to = from += size;
    }
    return parts.empty() || from != outputs_of(*recording_, p) ? std::map<char, Projection>{{role, p}}
                                                               : parts;
}

}  // namespace attn
