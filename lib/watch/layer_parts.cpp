#include "watch/layer_parts.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "text/lists.hpp"

namespace attn {

namespace {

// Returns true if the row's inputs are a token of the other layer's, and common roles have the same weights.
bool is_row_of(const Recording& recording, const AttentionLayer& row, const AttentionLayer& whole) {
    const std::vector<std::size_t>& from = recording.maker(row.x)->operands;
    return whole.stem == row.stem && !from.empty() && from[0] == whole.x &&
           std::ranges::all_of(row.by_role, [&](const auto& one) {
               const auto own = whole.by_role.find(one.first);
               return own == whole.by_role.end() || own->second.weight == one.second.weight;
           });
}

void join_row(AttentionLayer& whole, AttentionLayer& row) {
    for (auto& [role, p] : row.by_role) {
        whole.rows.emplace_back(role, p.result);
        p.is_used = false;  // its result is a row
    }
    whole.by_role.merge(row.by_role);
    whole.first_call = std::min(whole.first_call, row.first_call);
    row.by_role.clear();
}

// Joins the projections of single tokens with those of all tokens.
void join_rows(const Recording& recording, std::vector<AttentionLayer>& found) {
    const auto is_row = [&](const AttentionLayer& one) { return recording.tensors[one.x].shape.size() == 1; };
    for (AttentionLayer& row : found) {
        const auto has_row = [&](const AttentionLayer& one) { return is_row_of(recording, row, one); };
        if (!is_row(row) || !recording.maker(row.x)) {
            continue;
        }
        if (const auto whole = std::ranges::find_if(found, has_row); whole != found.end()) {
            join_row(*whole, row);
        }
    }
    std::erase_if(found, [&](const AttentionLayer& one) { return is_row(one) && !one.is_complete(); });
}

// Returns true if softmax is on the way from the earlier tensor to the later one.
bool attends(const Recording& recording, std::size_t later, std::size_t earlier) {
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
        if (const RecordedCall* const call = recording.maker(id)) {
            const bool is_softmax = call->kind == "softmax" || is_sdpa(*call);
            for (const std::size_t operand : call->operands) {
                pending.emplace_back(operand, attended || is_softmax);
            }
        }
    }
    return false;
}

bool is_norm_of(const Recording& recording, std::size_t id, std::size_t before) {
    const RecordedCall* const call = recording.maker(id);
    return call != nullptr && contains(call->op, "norm") && call->operands[0] == before;
}

// Joins a projection with the two others. Returns false if their inputs are not related.
bool join_stray(const Recording& recording, AttentionLayer& layer, const AttentionLayer& lone) {
    const auto& [role, p] = *lone.by_role.begin();
    const bool is_earlier = recording.tensors[layer.x].shape == recording.tensors[lone.x].shape &&
                            attends(recording, layer.x, lone.x);
    const bool is_after_norm = is_norm_of(recording, layer.x, lone.x);
    if (role != 'q' && (is_earlier || std::ranges::any_of(layer.by_role, [&](const auto& one) {
                            return one.second.result == lone.x;
                        }))) {
        layer.stray = p.call;
    } else if (is_after_norm || is_norm_of(recording, lone.x, layer.x)) {
        layer.stray = is_after_norm ? p.call : layer.first_call;
        layer.x = is_after_norm ? layer.x : lone.x;
        layer.is_stray_given = recording.calls[*layer.stray].module != recording.maker(layer.x)->module;
        layer.first_call = std::min(layer.first_call, lone.first_call);
    } else {
        return false;
    }
    layer.by_role[role] = p;
    return true;
}

// Joins keys or values that are made from earlier inputs than the two other projections, or from the result
// of one of them. Also joins queries, keys and values if only some are made from normalised inputs.
void join_strays(const Recording& recording, std::vector<AttentionLayer>& found) {
    for (const AttentionLayer& lone : found) {
        const char role = lone.by_role.begin()->first;
        for (AttentionLayer& layer : found) {
            if (lone.by_role.size() == 1 && contains(roles, role) && layer.by_role.size() == 2 &&
                !layer.is_fused() && !layer.by_role.contains(role) && layer.stem == lone.stem &&
                join_stray(recording, layer, lone)) {
                break;
            }
        }
    }
}

// Returns the tensors from which a tensor is computed, and which nothing computes; no parameters.
std::set<std::size_t> sources_of(const Recording& recording, std::size_t id) {
    std::set<std::size_t> sources;
    const auto is_computed = [&](std::size_t one) { return !recording.tensors[one].is_parameter; };
    for (const std::size_t one : recording.behind({id}, is_computed)) {
        if (is_computed(one) && is_root(recording, one)) {
            sources.insert(one);
        }
    }
    return sources;
}

// Returns true for inputs of the same rank that have no sources in common.
bool are_apart(const Recording& recording, std::size_t x, std::size_t memory) {
    if (recording.tensors[x].shape.size() != recording.tensors[memory].shape.size()) {
        return false;
    }
    const std::set<std::size_t> own = sources_of(recording, x);
    return std::ranges::none_of(sources_of(recording, memory),
                                [&](std::size_t id) { return own.contains(id); });
}

// Returns true for queries, perhaps with keys or values, and for the roles that they lack.
bool may_cross(const AttentionLayer& layer, const AttentionLayer& other) {
    const auto has_both = [&](char role) {
        return layer.by_role.contains(role) && other.by_role.contains(role);
    };
    const bool is_rest = layer.by_role.size() == 1 ? other.by_role.contains('k') : other.by_role.size() == 1;
    return layer.by_role.contains('q') && layer.by_role.size() <= 2 && is_rest && other.stem == layer.stem &&
           std::ranges::none_of(roles, has_both);
}

// Joins queries with keys and values of inputs that have nothing in common with theirs.
void join_crossed(const Recording& recording, std::vector<AttentionLayer>& found) {
    for (AttentionLayer& layer : found) {
        const auto other = std::ranges::find_if(found, [&](const AttentionLayer& one) {
            return may_cross(layer, one) && are_apart(recording, layer.x, one.x);
        });
        if (other == found.end()) {
            continue;
        }
        if (layer.by_role.size() == 2) {  // keys and values of different inputs
            layer.stray = layer.by_role.at(layer.by_role.contains('v') ? 'v' : 'k').call;
        }
        layer.by_role.merge(other->by_role);
        layer.first_call = std::min(layer.first_call, other->first_call);
        layer.memory = other->x;
        other->by_role.clear();
    }
}

bool has_same_weights(const AttentionLayer& layer, const AttentionLayer& other) {
    return std::ranges::equal(layer.by_role, other.by_role, [](const auto& a, const auto& b) {
        return a.first == b.first && a.second.weight == b.second.weight;
    });
}

// Returns the layers whose projections are behind the first product that reads this one's. `owners`: the
// layers, by the results of their projections.
std::set<std::size_t> layers_of_product(const RecordedProjections& projections,
                                        const std::map<std::size_t, std::size_t>& owners, std::size_t layer,
                                        std::size_t first_call) {
    const Recording& recording = projections.recording();
    const auto is_other = [&](std::size_t id) { return !owners.contains(id); };
    for (std::size_t at = first_call; at < recording.calls.size(); ++at) {
        if (!is_product(recording.calls[at]) || projections.all()[at]) {
            continue;
        }
        std::set<std::size_t> layers;
        for (const std::size_t id : recording.behind(recording.calls[at].operands, is_other)) {
            if (const auto owner = owners.find(id); owner != owners.end()) {
                layers.insert(owner->second);
            }
        }
        if (layers.contains(layer)) {
            return layers;
        }
    }
    return {};
}

}  // namespace

void join_parts(const Recording& recording, std::vector<AttentionLayer>& found) {
    join_rows(recording, found);
    join_strays(recording, found);
    join_crossed(recording, found);
    std::erase_if(found,
                  [](const AttentionLayer& layer) { return !layer.is_fused() && layer.by_role.size() < 2; });
}

void find_past(const RecordedProjections& projections, std::vector<AttentionLayer>& found) {
    std::map<std::size_t, std::size_t> owners;
    for (std::size_t i = 0; i < found.size(); ++i) {
        for (const auto& [role, p] : found[i].by_role) {
            owners.emplace(p.result, i);
        }
    }
    for (std::size_t i = 1; i < found.size(); ++i) {
        AttentionLayer& layer = found[i];
        const auto is_again = [&](const AttentionLayer& other) { return has_same_weights(layer, other); };
        if (layer.by_role.empty() || std::ranges::none_of(std::span(found).first(i), is_again)) {
            continue;
        }
        for (const std::size_t before : layers_of_product(projections, owners, i, layer.first_call)) {
            if (before < i && is_again(found[before])) {
                layer.past.push_back(found[before].x);
                std::ranges::copy_if(found[before].by_role, std::back_inserter(layer.past_by_role),
                                     [](const auto& one) { return one.first != 'q'; });
            }
        }
    }
    std::erase_if(found, [&](const AttentionLayer& row) {
        return projections.recording().tensors[row.x].shape.size() == 1 && row.past.empty() &&
               std::ranges::none_of(found,
                                    [&](const AttentionLayer& next) { return contains(next.past, row.x); });
    });
}

}  // namespace attn
