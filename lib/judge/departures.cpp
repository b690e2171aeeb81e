// The departures that a node shows, and what excuses them.
#include "judge/verdicts.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <set>

#include "judge/code_names.hpp"
#include "judge/node_signs.hpp"
#include "judge/number_patterns.hpp"
#include "mistakes/changed_lines.hpp"
#include "tensor/error.hpp"

namespace attn {

std::string_view Verdicts::evident_mistake(std::size_t id) {
    return code_[id].operation == untransposed                                ? "weights-not-transposed"
           : code_.is_relevant[id] && overwritten_in(code_, id) != nullptr    ? "loop-variable"
           : code_.is_relevant[id] && code_.flow.dropped_in_eval.contains(id) ? "dropout-in-eval"
           : code_.lessons.mixed_inputs(id)                                   ? "batch-mixes-rows"
           : is_used_as_unchanged(code_, id)                                  ? "changed-in-place"
           : repeated_draws_.contains(id)                                     ? "seed-set-before-each-layer"
           : lacks_keepdim(code_, id)                                         ? "keepdim-missing"
           : drops_scores(id)                                                 ? "dropout-before-softmax"
           : forgotten_mask(code_, id)                                        ? "not-masked"
           : normalised_axis(code_, id) == 3                                  ? "softmax-over-heads"
                                                                              : mistake_of_view(id);
}

std::string_view Verdicts::likely_mistake(std::size_t id) {
    return joins_one_head(code_, id)         ? "same-head-twice"
           : normalised_axis(code_, id) != 0 ? "softmax-wrong-axis"
           : is_scaled_wrongly(code_, id)    ? code_.pattern.mistake(id)
           : is_scaled_again(code_, id)      ? "scaled-by-other-number"
                                             : mistake_of_mask(code_, id);
}

// The mistake of a view without a transpose; empty for other nodes. The view puts the heads before the
// tokens: (b, n, d) or (b, n, heads, d / heads) to (b, heads, n, d / heads). Or it joins the heads: (b,
// heads, n, d) to (b, n, heads · d).
std::string_view Verdicts::mistake_of_view(std::size_t id) {
    const Computed& node = code_[id];
    const Shape from = node.operands.empty() ? Shape{} : code_[node.operands[0]].value.shape();
    const Shape& to = node.value.shape();
    if (!code_.is_relevant[id] || node.operation != "view" || from.rank() < 2 ||
        (status(node.operands[0]).found.empty() && !code_.pattern.is_right(node.operands[0]))) {
        return "";
    }
    const std::size_t tokens = from.rank() - 2;
    const bool exchanges_axes = to.rank() == 4 && from.rank() == 4 && to[1] == from[2] && to[2] == from[1] &&
                                to[1] != to[2] && to[3] == from[3];
    if (exchanges_axes) {
        return "heads-view-without-transpose";
    }
    if (to.rank() == from.rank() + 1 && to[tokens] != from[tokens] && to[tokens + 1] == from[tokens]) {
        return "heads-view-without-transpose";
    }
    const std::size_t heads = from.rank() < 3 ? 0 : from.rank() - 3;
    return to.rank() + 1 == from.rank() && from.rank() > 2 && from[heads] > 1 &&
                   from[heads] != from[heads + 1] && to[heads] == from[heads + 1] &&
                   to[heads + 1] == from[heads] * from[heads + 2]
               ? "heads-merged-without-transpose"
               : "";
}

// True for dropout of scores instead of weights.
bool Verdicts::drops_scores(std::size_t id) {
    const Computed& node = code_[id];
    return node.operation == "dropout" &&
           std::ranges::any_of(status(node.operands[0]).found, [](const Found& one) {
               return one.walk->node(one.step).name.starts_with("attn_scores");
           });
}

// True for right weights, dropped as no document does: with another seed or probability, or by a module,
// before whose dropout nobody sets the seed again.
bool Verdicts::is_dropped_as_set(std::size_t id) {
    const Computed& node = code_[id];
    const Drawn* const mask = node.operation == "dropout" ? code_.graph.draw_of(node.operands[1]) : nullptr;
    if (mask == nullptr || !mask->seed || !is_right(status(node.operands[0]).verdict)) {
        return false;
    }
    const double scale =
        common_factor(node.value.values(), code_[node.operands[0]].value.values()).value_or(2.0);
    return !code_.lessons.chapters().front().is_documents || !code_.graph.has_seed_of_document(mask->node) ||
           std::abs(scale - 2.0) > 1e-3 || mask->is_of_module;
}

// True for scores masked with a finite number that softmax makes 0.
bool Verdicts::is_hidden(std::size_t id) {
    return mistake_of(searches_.ask(id)) == "finite-mask-leak" &&
           std::ranges::min(code_[id].value.values()) < -1e6F;
}

// True for departures that readers mean: a temperature, attention without weights but with a mask, and
// the documents' first, plain way to normalise.
bool Verdicts::is_on_purpose(std::size_t id) {
    const std::string_view mistake = mistake_of(searches_.ask(id));
    const bool is_about_scale = mistake == "no-scaling" || mistake.starts_with("scaled-by-");
    return (is_about_scale && tries_factors(code_, id)) ||
           (mistake == "scaled-needlessly" && code_[id].operation.starts_with("scaled_dot")) ||
           (mistake == "scores-of-inputs" && !meets_projections(code_, id)) ||
           (mistake == "divided-by-sum" && normalises(code_, id));
}

// True if a part of a result equals a part of an operand: row 0 of causal attention is row 0 of the
// values, also if the weights are wrong. So is a part of heads that were joined in a wrong way.
bool Verdicts::copies_operand(std::size_t id, const std::vector<Found>& found, std::size_t culprit) {
    std::size_t result = id;
    while (is_move(code_[result].operation) && !code_[result].operands.empty()) {
        if (result == culprit && code_[result].operands.size() > 1) {
            return true;
        }
        result = code_[result].operands[0];
    }
    const auto is_of_operand = [&](const Found& one) {
        return std::ranges::any_of(code_[result].operands, [&](std::size_t operand) {
            return std::ranges::any_of(status(operand).found, [&](const Found& other) {
                return one.walk->node(one.step).name == other.walk->node(other.step).name;
            });
        });
    };
    return result != id && std::ranges::any_of(found, is_of_operand);
}

bool Verdicts::share_a_run(std::size_t a, std::size_t b) {
    return std::ranges::any_of(status(a).found, [&](const Found& one) {
        return std::ranges::any_of(status(b).found,
                                   [&](const Found& other) { return one.walk == other.walk; });
    });
}

// An operand that a method computes from a variable of the notebook, beside operands of another run.
std::optional<std::size_t> Verdicts::operand_of_notebook(std::size_t id) {
    const Ids operands = code_[id].operands;
    for (const std::size_t used : operands) {
        if (global_in(code_, used) != nullptr && std::ranges::none_of(operands, [&](std::size_t other) {
                return other != used && share_a_run(used, other);
            })) {
            return used;
        }
    }
    return std::nullopt;
}

std::optional<Verdicts::Reassigned> Verdicts::reassigned_operand(std::size_t id) {
    const Ids operands = code_[id].operands;
    for (const std::size_t used : operands) {
        for (const std::size_t beside : operands) {
            if (status(used).found.empty() || status(beside).found.empty() || share_a_run(used, beside)) {
                continue;
            }
            for (std::size_t other = 0; other < id; ++other) {
                const Computed& node = code_[other];
                if (other != used && !node.name.empty() && node.name == code_[used].name &&
                    node.value.shape() == code_[used].value.shape() &&
                    node.place.cell != code_[used].place.cell && share_a_run(other, beside)) {
                    return Reassigned{used, other};
                }
            }
        }
    }
    return std::nullopt;
}

// True for a tensor of a walk, or a part of one: a step, or what a line computes on its way.
bool Verdicts::is_in_walks(std::size_t id) const {
    const Computed& node = code_[id];
    const auto has = [&node](const StageTrace& walk) {
        return std::ranges::any_of(walk.notebook.nodes(), [&node](const Node& right) {
            return right.call.operation->is_tensor() && right.value.count() == node.value.count() &&
                   is_close(node.value.values(), right.value.values(), node.slack);
        });
    };
    return code_.graph.is_harmless(id) || !find_steps(node, code_.lessons).empty() ||
           std::ranges::any_of(code_.lessons.chapters(), [&](const Chapter& chapter) {
               return std::ranges::any_of(chapter.walks, has);
           });
}

std::optional<Found> Verdicts::step_named(std::string_view name, std::size_t id) const {
    for (const Chapter& chapter : code_.lessons.chapters()) {
        for (const StageTrace& walk : chapter.walks) {
            const std::optional<std::size_t> step = walk.find(name);
            if (step && walk.node(*step).shows.empty() &&
                walk.node(*step).value.shape() == code_[id].value.shape()) {
                return Found{&walk, *step};
            }
        }
    }
    return std::nullopt;
}

// False for what is computed from inputs that are not those of a lesson.
bool Verdicts::is_of_chapter(std::size_t id) const {
    const auto is_inputs = [&](std::size_t node) {
        return code_.flow.assumed_inputs == node ||
               std::ranges::any_of(code_.lessons.chapters(),
                                   [&](const Chapter& chapter) { return is_node_of(code_, chapter, node); });
    };
    const auto has_other_sentence = [&](std::size_t batch) {
        const Ids& operands = code_[batch].operands;
        return code_[batch].operation == "stack" && std::ranges::any_of(operands, is_inputs) &&
               std::ranges::any_of(operands, [&](std::size_t sentence) {
                   return !identical(code_[sentence].value, code_[operands[0]].value);
               });
    };
    std::set<std::size_t> open{id};
    while (!open.empty()) {
        const std::size_t node = open.extract(std::prev(open.end())).value();
        if (has_other_sentence(node)) {
            return false;
        }
        if (is_inputs(node)) {
            return true;
        }
        open.insert(code_[node].operands.begin(), code_[node].operands.end());
    }
    return code_.graph.is_harmless(id);
}

// Returns true if a right step is computed from these numbers: they only had to be divided, say.
bool Verdicts::leads_to_step(std::size_t id) const {
    const std::vector<bool> follows = code_.graph.dependents(id);
    for (std::size_t later = id + 1; later < code_.nodes.size(); ++later) {
        if (follows[later] && code_[later].value.count() > 2 && !is_binary(code_[later].value) &&
            !find_steps(code_[later], code_.lessons).empty()) {
            return true;
        }
    }
    return false;
}

// True for arithmetic with a step that has the name of this step, or that of one with another shape:
// context_vec = context_vec.abs(), attn_scores = queries * keys. A step in another order is changed, too.
bool Verdicts::changes_step(std::size_t id, std::string_view name) {
    const Computed& node = code_[id];
    const bool moves = is_move(node.operation) && node.operands.size() == 1;
    if (!(is_plain(node.operation) || moves) || code_.pattern.is_right(id) || leads_to_step(id)) {
        return false;
    }
    return std::ranges::any_of(node.operands, [&](std::size_t operand) {
        return std::ranges::any_of(status(operand).found, [&](const Found& one) {
            const std::optional<std::size_t> step = one.walk->find(name);
            const bool is_changed = step == one.step && code_[operand].value.shape() == node.value.shape() &&
                                    !identical(code_[operand].value, node.value);
            const bool is_of_other_shape = step && step != one.step && !moves &&
                                           code_[operand].value.rank() == node.value.rank() &&
                                           one.walk->node(*step).value.shape() != node.value.shape();
            return one.piece.empty() && (is_changed || is_of_other_shape);
        });
    });
}

// True if the line of a step gives these numbers with the code's own operands, known by their names or
// numbers. Nothing if they are not known.
std::optional<bool> Verdicts::is_line_of(const Found& step, std::size_t id) {
    const Nodes& nodes = step.walk->notebook.nodes();
    Notebook again;
    bool is_known = true;
    const std::function<Var(std::size_t)> made = [&](std::size_t of) -> Var {
        const Node& node = nodes[of];
        if (of == step.step || node.name.empty()) {
            std::vector<Var> operands;
            std::ranges::transform(node.call.inputs, std::back_inserter(operands), made);
            return again.record(*node.call.operation, operands, node.call.attributes);
        }
        for (std::size_t own = id; own-- > 0;) {
            const bool is_meant =
                code_[own].name == node.name || std::ranges::any_of(status(own).found, [&](const Found& one) {
                    return one.piece.empty() && one.walk->node(one.step).name == node.name;
                });
            if (is_meant && code_.graph.depends(id, own) && !code_.graph.is_harmless(own)) {
                return again.given(code_[own].value);
            }
        }
        const std::vector<bool> origins = origins_of(step.walk->notebook, of);
        for (std::size_t origin = 0; origin <= of; ++origin) {  // a mask has none of these
            const Operation& operation = *nodes[origin].call.operation;
            is_known = is_known && !(origins[origin] && (operation.is_given() || operation.is_parameter()));
        }
        return again.given(node.value);
    };
    try {
        const bool gives =
            is_close(code_[id].value.values(), made(step.step).value().values(), code_[id].slack);
        return is_known ? std::optional(gives) : std::nullopt;
    } catch (const Error&) {
        return std::nullopt;  // operands of other shapes
    }
}

std::optional<std::size_t> Verdicts::first_departure(std::size_t id, std::string_view name) {
    std::set<std::size_t> open{id};
    std::set<std::size_t> departed;
    const std::optional<Found> meant = step_named(name, id);
    if (changes_step(id, name)) {
        return id;
    }
    if (code_[id].value.count() < 2 || is_move(code_[id].operation) || !meant || !is_of_chapter(id)) {
        return std::nullopt;
    }
    // Weights that are computed, such as those after a step of training, are not those that are drawn.
    if (meant->walk->node(meant->step).call.operation->is_parameter() && !code_[id].operands.empty()) {
        return std::nullopt;
    }
    if (leads_to_step(id)) {
        return std::nullopt;
    }
    while (!open.empty()) {
        const std::size_t next = open.extract(std::prev(open.end())).value();
        const bool is_unnamed_draw =  // of a layer that no step is about
            is_draw(code_[next].operation) && code_.graph.named_step(next).empty();
        if (!is_in_walks(next) && !is_unnamed_draw) {
            departed.insert(next);
            open.insert(code_[next].operands.begin(), code_[next].operands.end());
        }
    }
    if (departed.empty()) {  // a part of the step's line, such as exp(x) of softmax
        return is_line_of(*meant, id) == false ? std::optional(id) : std::nullopt;
    }
    const std::size_t first = *departed.begin();
    const std::optional<Found> named = step_named_as(first);
    const bool is_documents = code_.lessons.chapters().front().is_documents;
    const std::optional<bool> is_right_line = named          ? is_line_of(*named, first)
                                              : is_documents ? std::optional(false)
                                                             : is_line_of(*meant, id);
    const bool is_excused =  // an operand of the right line is to blame
        is_right_line.value_or(!is_documents) || code_[first].operation == "printed" ||
        is_on_purpose(first) || is_hidden(first);
    return is_excused ? std::nullopt : std::optional(first);
}

// True if right weights are multiplied with a mask of zeros and ones.
bool Verdicts::masks_weights(std::size_t id) {
    const Computed& node = code_[id];
    const auto is_mask = [this](std::size_t operand) {
        const Tensor& x = code_[operand].value;
        return code_.graph.is_harmless(operand) && x.rank() > 1 &&
               x.shape()[x.rank() - 1] == x.shape()[x.rank() - 2];
    };
    const auto are_weights = [this](std::size_t operand) {
        return std::ranges::any_of(status(operand).found, [](const Found& one) {
            return one.walk->node(one.step).name.starts_with("attn_weights");
        });
    };
    return node.operation == "mul" && std::ranges::any_of(node.operands, is_mask) &&
           std::ranges::any_of(node.operands, are_weights);
}

}  // namespace attn
