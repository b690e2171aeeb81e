#include "watch/layer_finder.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "tensor/error.hpp"
#include "text/lists.hpp"
#include "watch/layer_parts.hpp"
#include "watch/recorded_ops.hpp"
#include "watch/unprojected_layers.hpp"

namespace attn {

namespace {

void require_few(const std::vector<AttentionLayer>& found, std::size_t most) {
    if (found.size() > most) {
        throw Error(
            "more than {} attention layers or parts of them, the limit; record fewer runs of the code.",
            most);
    }
}

// Follows layout and scaling to the projection that a tensor comes from.
OptionalIndex projection_behind(const Recording& recording, std::size_t id,
                                const std::vector<Projection>& all) {
    for (int steps = 0; steps < 16; ++steps) {
        const auto found = std::ranges::find(all, id, &Projection::result);
        if (found != all.end()) {
            return found - all.begin();
        }
        if (is_root(recording, id)) {
            break;
        }
        id = recording.maker(id)->operands[0];
    }
    return std::nullopt;
}

// Gives three projections of one input their roles: the first product of two of them is that of queries and
// keys.
std::optional<AttentionLayer> layer_of_unnamed(const Recording& recording,
                                               const std::vector<Projection>& same) {
    AttentionLayer layer{
        .first_call = same[0].call, .x = same[0].x, .name = name_of_layer(recording.tensors[same[0].weight])};
    for (std::size_t i = same[0].call + 1; i < recording.calls.size(); ++i) {
        const RecordedCall& call = recording.calls[i];
        const std::size_t first = first_factor(call);
        const auto behind = [&](std::size_t place) {
            return projection_behind(recording, call.operands[place], same);
        };
        if (is_sdpa(call) && call.operands.size() >= roles.size()) {
            for (std::size_t r = 0; r < roles.size(); ++r) {
                if (const auto at = behind(r)) {
                    layer.by_role[roles[r]] = same[*at];
                }
            }
            std::set<std::size_t> calls;
            for (const auto& [role, p] : layer.by_role) {
                calls.insert(p.call);
            }
            return calls.size() == roles.size() ? std::optional(layer) : std::nullopt;
        }
        if (call.kind != "matmul" || call.operands.size() < first + 2) {
            continue;
        }
        const auto left = behind(first);
        const auto right = behind(first + 1);
        if (left && right && *left != *right) {
            layer.by_role = {{'q', same[*left]}, {'k', same[*right]}, {'v', same[3 - *left - *right]}};
            return layer;
        }
    }
    return std::nullopt;
}

// Groups projections to layers, by their inputs and by the names of their weights and results.
class LayerFinder {
public:
    explicit LayerFinder(const RecordedProjections& projections) : projections_(&projections) {
        const Recording& recording = projections.recording();
        for (std::size_t i = 0; i < recording.calls.size(); ++i) {
            require_few(found_, max_layers * roles.size());  // some are only parts, which are joined later
            if (auto whole = layer_of_module(recording, i)) {
                found_.push_back(*std::move(whole));
            } else if (const std::optional<Projection>& p = projections.all()[i]) {
                add(*p);
            }
        }
        add_chained();
        join_unnamed();
    }

    std::vector<AttentionLayer> found() && { return std::move(found_); }

private:
    const RecordedTensor& tensor(std::size_t id) const { return projections_->recording().tensors[id]; }

    void add(const Projection& p) {
        auto role = role_of(tensor(p.weight));
        role = role ? role : role_of(tensor(p.result));
        role = role || !projections_->is_fused(p) ? role : RoleName{'f', ""};
        if (!role) {
            add_unnamed(p);
        } else if (p.is_of_rows) {
            add_rows(*role, p);
        } else if (role->role == 'f') {
            found_.push_back({.first_call = p.call,
                              .x = p.x,
                              .by_role = projections_->parts_of('f', p),
                              .name = name_of_layer(tensor(p.weight))});
        } else if (!is_used_for_other(*role, p)) {
            add_named(*role, p);
        }
    }

    // Adds a projection of some tokens to the layer of all, or begins this layer.
    void add_rows(const RoleName& role, const Projection& p) {
        const bool is_fused = role.role == 'f';
        auto layer = std::ranges::find_if(found_, [&](const AttentionLayer& one) {
            const auto own = one.by_role.find(role.role == 'p' ? 'k' : role.role);
            return one.x == p.x && one.stem == role.stem && one.is_fused() == is_fused &&
                   (own == one.by_role.end() || own->second.weight == p.weight);
        });
        if (layer == found_.end()) {
            layer = found_.insert(
                layer,
                {.first_call = p.call, .x = p.x, .name = name_of_layer(tensor(p.weight)), .stem = role.stem});
        }
        layer->by_role.merge(projections_->parts_of(role.role, p));
        layer->rows.emplace_back(role.role, p.result);
    }

    // Returns true for a second use of the same weight under the name of another role.
    bool is_used_for_other(const RoleName& role, const Projection& p) const {
        const auto of_result = role_of(tensor(projections_->named_after(p)));
        return of_result && of_result->role != role.role &&
               std::ranges::any_of(found_, [&](const AttentionLayer& layer) {
                   const auto same = layer.by_role.find(role.role);
                   return layer.x == p.x && layer.stem == role.stem && same != layer.by_role.end() &&
                          same->second.weight == p.weight;
               });
    }

    // Adds a projection to the newest layer on its inputs that lacks its role, or begins a layer.
    void add_named(const RoleName& role, const Projection& p) {
        const auto open = std::find_if(found_.rbegin(), found_.rend(), [&](const AttentionLayer& layer) {
            return layer.x == p.x && layer.stem == role.stem && !layer.is_fused() &&
                   !layer.by_role.contains(role.role == 'p' ? 'k' : role.role);
        });
        AttentionLayer& layer = open == found_.rend()
                                    ? found_.emplace_back(AttentionLayer{.first_call = p.call, .x = p.x})
                                    : *open;
        if (std::ranges::any_of(layer.by_role,
                                [&](const auto& one) { return one.second.weight == p.weight; })) {
            layer.stray = p.call;
        }
        for (const auto& [own, part] : projections_->parts_of(role.role, p)) {
            layer.by_role[own] = part;
        }
        layer.stem = role.stem;
        layer.name = name_of_layer(tensor(p.weight));
    }

    // Collects three projections of one input.
    void add_unnamed(const Projection& p) {
        for (const auto& [x, projected] : unnamed_) {
            if (contains(projected, p.x, &Projection::result)) {
                chained_.emplace_back(x, p);
            }
        }
        std::vector<Projection>& same = unnamed_[p.x];
        same.push_back(p);
        if (same.size() == roles.size()) {
            if (auto layer = layer_of_unnamed(projections_->recording(), same)) {
                found_.push_back(*std::move(layer));
            }
            same.clear();
        }
    }

    // Adds layers without names whose keys are projected from queries.
    void add_chained() {
        for (const auto& [x, stray] : chained_) {
            std::vector<Projection> same = unnamed_[x];
            same.push_back(stray);
            auto layer = same.size() == roles.size() ? layer_of_unnamed(projections_->recording(), same)
                                                     : std::nullopt;
            if (layer && layer->by_role.at('k').weight == stray.weight &&
                layer->by_role.at('q').result == stray.x) {
                layer->stray = stray.call;
                found_.push_back(*std::move(layer));
            }
        }
    }

    // Returns true if the result, moved or scaled, is a factor of a product.
    bool is_multiplied(const Projection& p) const {
        const Recording& recording = projections_->recording();
        return std::ranges::any_of(recording.calls, [&](const RecordedCall& call) {
            return is_product(call) && call.reads([&](std::size_t id) {
                for (; id != p.result && !is_root(recording, id); id = recording.maker(id)->operands[0]) {
                    if (!is_one_of(recording.maker(id)->kind, {"layout", "scale"})) {
                        return false;
                    }
                }
                return id == p.result;
            });
        });
    }

    // Completes layers that name only some of their projections, as `q, k, v = Q(x), K(x), V(x); q = q / 2`
    // names keys and values. The products give the others their roles; a single one has the role that is
    // left.
    void join_unnamed() {
        for (AttentionLayer& layer : found_) {
            std::vector<Projection> same = unnamed_[layer.x];
            std::erase_if(same, [&](const Projection& p) { return !is_multiplied(p); });
            const std::vector<Projection> unnamed = same;
            for (const auto& [role, p] : layer.by_role) {
                same.push_back(p);
            }
            if (layer.is_complete() || !layer.rows.empty() || same.size() != roles.size()) {
                continue;
            }
            std::ranges::sort(same, {}, &Projection::call);
            const auto whole = layer_of_unnamed(projections_->recording(), same);
            const bool agrees = whole && std::ranges::all_of(layer.by_role, [&](const auto& one) {
                                    return whole->by_role.at(one.first).call == one.second.call;
                                });
            if (agrees) {
                layer.by_role = whole->by_role;
            } else if (whole && unnamed.size() == 1) {
                const auto role =
                    std::ranges::find_if(roles, [&](char one) { return !layer.by_role.contains(one); });
                layer.by_role[*role] = unnamed[0];
            }
            layer.first_call = std::min(layer.first_call, whole ? whole->first_call : layer.first_call);
        }
    }

    const RecordedProjections* projections_;
    std::vector<AttentionLayer> found_{};
    std::map<std::size_t, std::vector<Projection>> unnamed_{};  // of each input
    std::vector<std::pair<std::size_t, Projection>>
        chained_{};  // the inputs, and a projection of a projection
};

// Returns the tensor with the name of this role that is nearest to another weight of the layer.
OptionalIndex unused_weight(const RecordedProjections& projections, const AttentionLayer& layer, char role) {
    const std::vector<RecordedTensor>& tensors = projections.recording().tensors;
    const auto is_initialised_later = [&](std::size_t id) {
        return std::ranges::any_of(projections.users(id), [&](std::size_t call) {
            const std::vector<std::size_t>& results = projections.recording().calls[call].results;
            return call < layer.first_call && results.size() == 1 &&
                   tensors[results[0]].names == tensors[id].names;
        });
    };
    const auto distance = [&](std::size_t id) {
        const std::size_t other = layer.by_role.begin()->second.weight;
        return id > other ? id - other : other - id;
    };
    OptionalIndex nearest;
    for (std::size_t id = 0; id < tensors.size(); ++id) {
        const auto is_alike = [&](const auto& one) {
            return tensors[one.second.weight].shape == tensors[id].shape;
        };
        if ((nearest && distance(id) >= distance(*nearest)) ||
            std::ranges::none_of(layer.by_role, is_alike) || is_initialised_later(id)) {
            continue;
        }
        const auto own = role_of(tensors[id]);
        nearest = own && own->role == role && own->stem == layer.stem ? std::optional(id) : nearest;
    }
    return nearest;
}

// Returns the projection of the layer's inputs by a weight of another role whose result has the name of this
// role. The module has no weight of its own for it.
std::optional<Projection> with_tied_weight(const RecordedProjections& projections,
                                           const AttentionLayer& layer, char role) {
    const auto is_tied = [&](const std::optional<Projection>& p) {
        const auto has_weight = [&](const auto& one) {
            return one.first != role && one.second.weight == p->weight && one.second.call != p->call;
        };
        if (!p || p->x != layer.x || layer.is_fused() || layer.by_role.contains(role) ||
            std::ranges::none_of(layer.by_role, has_weight)) {
            return false;
        }
        const auto named = role_of(projections.recording().tensors[projections.named_after(*p)]);
        return named && named->role == role;
    };
    const auto found = std::ranges::find_if(projections.all(), is_tied);
    return found == projections.all().end() ? std::nullopt : *found;
}

// Adds the weights that no call multiplies, and the biases beside weights, by their names.
void add_unused(const RecordedProjections& projections, AttentionLayer& layer) {
    Projection unused = layer.by_role.begin()->second;
    unused.bias.reset();
    unused.is_used = false;
    std::map<char, Projection> added;
    for (const char role : roles) {
        const auto weight = layer.is_fused() || layer.by_role.contains(role)
                                ? std::nullopt
                                : unused_weight(projections, layer, role);
        if (weight) {
            unused.weight = *weight;
            added[role] = unused;
        } else if (const auto tied = with_tied_weight(projections, layer, role)) {
            added[role] = *tied;
        }
    }
    layer.by_role.merge(added);
    if (layer.by_role.contains('q') && layer.by_role.contains('k') && !layer.by_role.contains('v')) {
        layer.by_role['v'] = layer.by_role['k'];  // the code ends with the weights
        layer.by_role['v'].is_used = false;
    }
    for (auto& [role, p] : layer.by_role) {
        p.bias = p.bias ? p.bias : projections.unused_bias(p.weight);
    }
}

// Returns the call with which the next layer begins that reads results of this one, or its cache.
std::size_t end_of(const Recording& recording, const AttentionLayer& layer,
                   const std::vector<AttentionLayer>& all) {
    std::vector<bool> reached = layer.projected(recording);
    const auto is_after = [&](const AttentionLayer& next) {
        return &next != &layer && (reached[next.x] || contains(next.past, layer.x));
    };
    for (std::size_t i = layer.first_call; i < recording.calls.size(); ++i) {
        const auto first = std::ranges::lower_bound(all, i, {}, &AttentionLayer::first_call);
        const auto last = std::ranges::upper_bound(all, i, {}, &AttentionLayer::first_call);
        if (std::any_of(first, last, is_after)) {
            return i;
        }
        const RecordedCall& call = recording.calls[i];
        if (call.reads([&](std::size_t id) { return reached[id]; })) {
            for (const std::size_t id : call.results) {
                reached[id] = true;
            }
        }
    }
    return recording.calls.size();
}

// Returns the first projection that the layer's own lead to, but not by way of a sum with another tensor,
// such as a residual connection.
std::optional<Projection> next_projection(const RecordedProjections& projections,
                                          const AttentionLayer& layer) {
    std::set<std::size_t> reached;
    for (const auto& [role, p] : layer.by_role) {
        reached.insert(p.result);
    }
    const auto is_reached = [&](std::size_t id) { return reached.contains(id); };
    for (std::size_t i = layer.first_call; i < layer.end; ++i) {
        const RecordedCall& call = projections.recording().calls[i];
        const std::optional<Projection>& p = projections.all()[i];
        const bool after = call.reads(is_reached);
        if (p && after && !role_of(projections.recording().tensors[p->weight])) {
            return p;
        }
        if (after && (call.kind != "add" || std::ranges::all_of(call.operands, is_reached))) {
            reached.insert(call.results.begin(), call.results.end());
        }
    }
    return std::nullopt;
}

// Finds the projection of the merged heads: the next one after the layer's, or one by name. It is square, as
// in the stages; others are left to the code after the layer.
void find_out_proj(const RecordedProjections& projections, AttentionLayer& layer) {
    const std::vector<RecordedTensor>& tensors = projections.recording().tensors;
    const std::size_t d_out = width_of(projections.recording(), layer, 'q');
    const auto is_square = [&](std::size_t id) { return tensors[id].shape == std::vector{d_out, d_out}; };
    const auto next = next_projection(projections, layer);
    if (next && is_square(next->weight)) {
        layer.out_proj = next;
    } else if (next && tensors[next->weight].is_flat) {  // it merges the heads, too
        layer.end = next->call;
    }
    for (std::size_t id = 0; id < tensors.size() && !next; ++id) {
        if (projections.is_unused_parameter(id) && is_square(id) &&
            path_of(tensors[id]).ends_with(".weight") && name_of_layer(tensors[id]) == layer.name &&
            !role_of(tensors[id])) {
            layer.out_proj = Projection{layer.first_call, layer.x, id, layer.x};
        }
    }
}

// Returns true if the result has the name of one role, and the weight that of another; or if the weight is
// that of another head again.
bool contradicts(const RecordedProjections& projections, const AttentionLayer& layer, const Projection& p) {
    const std::vector<RecordedTensor>& tensors = projections.recording().tensors;
    const auto of_weight = role_of(tensors[p.weight]);
    const auto of_result = role_of(tensors[projections.named_after(p)]);
    const bool is_plain = of_result && (of_result->stem.size() <= 3 ||
                                        is_one_of(of_result->stem, {"*_layer", "*_states", "*_heads"}));
    if (!of_weight || !is_plain || !contains(roles, of_result->role)) {
        return false;
    }
    const bool is_same_role = of_weight->role == of_result->role;
    const bool is_of_layer = of_weight->stem == layer.stem;
    const auto is_again = [&](const auto& other) { return other && other->weight == p.weight; };
    if (is_of_layer == is_same_role ||
        (!is_of_layer && (p.call <= layer.first_call ||
                          std::ranges::none_of(std::span(projections.all()).first(p.call), is_again)))) {
        return false;
    }
    const Projection& right = layer.by_role.at(of_result->role);
    return !right.is_used && right.weight != p.weight;
}

}  // namespace

std::vector<AttentionLayer> find_layers(const RecordedProjections& projections) {
    const Recording& recording = projections.recording();
    std::vector<AttentionLayer> found = LayerFinder(projections).found();
    join_parts(recording, found);
    std::ranges::for_each(found, [&](AttentionLayer& layer) { add_unused(projections, layer); });
    std::erase_if(found, [](const AttentionLayer& layer) { return !layer.is_complete(); });
    add_simplified(recording, found);
    if (std::ranges::all_of(found, &AttentionLayer::is_simplified)) {
        if (auto layer = layer_of_given(recording)) {
            found.push_back(*std::move(layer));
        }
    }
    require_few(found, max_layers);
    std::ranges::sort(found, {}, &AttentionLayer::first_call);
    find_past(projections, found);
    for (AttentionLayer& layer : found) {
        layer.end = end_of(recording, layer, found);
        if (!layer.is_simplified && !layer.is_given && !layer.out_proj) {
            find_out_proj(projections, layer);
        }
    }
    return found;
}

OptionalIndex contradiction(const RecordedProjections& projections, const AttentionLayer& layer) {
    for (std::size_t i = 0; i < layer.end && !layer.is_fused() && !layer.is_simplified; ++i) {
        const std::optional<Projection>& p = projections.all()[i];
        if (p && (p->x == layer.x || p->x == layer.memory) && contradicts(projections, layer, *p)) {
            return i;
        }
    }
    return std::nullopt;
}

}  // namespace attn
