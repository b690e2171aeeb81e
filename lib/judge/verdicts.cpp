#include "judge/verdicts.hpp"

#include <algorithm>

#include "judge/code_names.hpp"
#include "judge/node_signs.hpp"
#include "judge/number_patterns.hpp"

namespace attn {

namespace {

bool is_of_document(const StageTrace& walk) {
    const Parameters& p = walk.parameters;
    const Parameters& defaults = walk.stage->defaults;
    const bool has_heads = uses(*walk.stage, "num_heads");
    return !walk.own_lesson && !walk.own_weights && (!has_heads || p.num_heads == defaults.num_heads) &&
           p.d_out == defaults.d_out && p.qkv_bias == defaults.qkv_bias &&
           (p.seed == 123 || p.seed == 789 || !uses(*walk.stage, "seed"));
}

}  // namespace

OutputVerdict right_or_settings(const std::vector<Found>& found) {
    using enum OutputVerdict;
    return std::ranges::any_of(found, [](const Found& one) { return is_of_document(*one.walk); }) ? right
                                                                                                  : settings;
}

const Status& Verdicts::status(std::size_t id) {
    using enum OutputVerdict;
    if (!known_[id]) {
        known_[id].emplace();  // statuses are asked for again while this one is decided
        known_[id] = decide(id);
        OutputVerdict& verdict = known_[id]->verdict;
        const bool is_open = verdict == consistent || verdict == unknown;
        verdict = is_open && code_.pattern.is_right(id) ? settings : verdict;
    }
    return *known_[id];
}

Status Verdicts::decide(std::size_t id) {
    if (const std::optional<Status> status = by_itself(id)) {
        return *status;
    }
    std::optional<std::size_t> culprit;
    bool is_swapped = false;
    for (const std::size_t operand : code_[id].operands) {
        const Status& of = status(operand);
        culprit = culprit ? culprit : of.culprit;
        is_swapped = is_swapped || of.is_swapped;
    }
    if (const std::optional<Status> status = as_step(id, culprit, is_swapped)) {
        return *status;
    }
    if (!code_.is_relevant[id]) {
        return outside_chapter(id);
    }
    return culprit ? Status{OutputVerdict::follows, {}, culprit} : as_computed(id);
}

// Departures that a node shows by itself.
std::optional<Status> Verdicts::by_itself(std::size_t id) {
    using enum OutputVerdict;
    if (is_altered_lesson(code_, id)) {
        return Status{mistake, {}, id};
    }
    if (code_.graph.draw_of(id) != nullptr && code_.graph.draw_of(id)->is_again &&
        code_.graph.has_seed_of_document(id)) {
        const std::size_t first = std::ranges::find(code_.flow.draws, true, &Drawn::is_again)->node;
        return Status{first == id ? mistake : follows, {}, first};
    }
    if (!evident_mistake(id).empty() || joins_one_head(code_, id)) {
        return Status{mistake, {}, id};
    }
    return std::nullopt;
}

// Numbers of a step. Under the name of another step they depart, if they are of a layer. Behind a departure
// they are right only if they cannot equal the step by chance.
std::optional<Status> Verdicts::as_step(std::size_t id, std::optional<std::size_t> culprit, bool is_swapped) {
    using enum OutputVerdict;
    const Computed& node = code_[id];
    std::vector<Found> found = find_steps(node, code_.lessons);
    if (!code_.is_relevant[id] && !code_.graph.is_harmless(id) && !code_.is_from_printed[id]) {
        std::erase_if(found, [&](const Found& one) {
            return !one.piece.empty() || one.walk->node(one.step).name != node.name;
        });
    }
    if (found.empty()) {
        return std::nullopt;
    }
    const std::string named = code_.graph.named_step(id);
    const bool names_other = !named.empty() && std::ranges::none_of(found, [&](const Found& one) {
        return one.walk->node(one.step).name.starts_with(named);
    });
    const bool is_of_layer =
        std::ranges::none_of(found, &Found::is_block) && std::ranges::any_of(found, [&](const Found& one) {
            const std::string& name = one.walk->node(one.step).name;
            return name.starts_with("W_") || name.starts_with("queries") || name.starts_with("keys") ||
                   name.starts_with("values");
        });
    if (names_other && is_of_layer && (culprit || !has_own_order(code_, id))) {
        return Status{culprit ? follows : mistake, {}, culprit.value_or(id), true};
    }
    const auto has_name = [&](const Found& one) {
        return !named.empty() && one.walk->node(one.step).name.starts_with(named);
    };
    std::stable_partition(found.begin(), found.end(), has_name);
    const bool is_telling =
        !culprit || (!is_binary(node.value) && !copies_operand(id, found, *culprit) &&
                     code_[*culprit].operation != "changed" && !repeated_draws_.contains(*culprit) &&
                     overwritten_in(code_, *culprit) == nullptr && !forgotten_mask(code_, *culprit));
    if (is_telling && !(is_swapped && names_other)) {
        const OutputVerdict verdict = right_or_settings(found);
        return Status{.verdict = verdict, .found = std::move(found)};
    }
    return std::nullopt;
}

// Masks, tokens and examples of dropout beside the chapter are by-products.
Status Verdicts::outside_chapter(std::size_t id) const {
    using enum OutputVerdict;
    const Computed& node = code_[id];
    const bool is_mask =
        code_.graph.is_harmless(id) && node.operation != "number" && !is_window(node.value) &&
        (is_binary(node.value) || std::ranges::any_of(node.operands, [&](std::size_t of) {
             const Tensor& x = code_[of].value;
             return is_binary(x) && (node.operation == "sum" ||
                                     (node.operation == "div" && x.rank() == 2 && x.size(0) == x.size(1)));
         }));
    const bool are_tokens = std::ranges::any_of(code_.graph.users(id), [&](std::size_t user) {
        return code_[user].operation == "embedding" && code_.is_relevant[user];
    });
    const bool is_example =
        code_.graph.is_harmless(id) && std::ranges::any_of(code_.flow.draws, [&](const Drawn& draw) {
            return code_[draw.node].operation == "dropout-mask" && code_.graph.depends(id, draw.node);
        });
    return {is_mask || is_example || are_tokens || (node.operation == "number" && node.name.empty())
                ? by_product
                : unknown};
}

// Tensors of the chapter that no walk has: functions that are no step, then steps that are computed
// otherwise.
Status Verdicts::as_computed(std::size_t id) {
    using enum OutputVerdict;
    const Computed& node = code_[id];
    // A mistake may take two calls, such as a mask between two softmaxes. Later calls only follow.
    const auto is_consistent = [this](std::size_t operand) { return status(operand).verdict == consistent; };
    const auto call_of = [this](std::size_t operand) {  // scaling and the like do not count
        while ((is_plain(code_[operand].operation) || is_move(code_[operand].operation)) &&
               !code_[operand].operands.empty()) {
            operand = code_[operand].operands[0];
        }
        return operand;
    };
    if (std::ranges::any_of(node.operands, [&](std::size_t operand) {
            return is_consistent(operand) &&
                   std::ranges::any_of(code_[call_of(operand)].operands, is_consistent);
        })) {
        return {consistent};
    }
    if (node.operands.empty() && code_.graph.has_seed_of_document(id) &&
        code_.lessons.chapters().front().is_documents) {
        const Diagnosis& answer = searches_.ask(id);
        const bool is_usual = mistake_of(answer) == "other-generator";
        if (!mistake_of(answer).empty() && !is_usual && answer.matches.front().piece.index.empty()) {
            return {mistake, {}, id};
        }
    }
    const bool follows_code = std::ranges::any_of(node.operands, is_consistent);
    if (follows_code && (is_plain(node.operation) || is_move(node.operation))) {
        return {consistent};
    }
    if (node.operands.empty()) {
        return {is_draw(node.operation) ? settings
                : node.operation == "printed" && !code_.pattern.belongs(id)
                    ? unknown  // nothing to compare it with
                    : right};
    }
    if (is_move(node.operation) && node.operands.size() > 1) {
        const bool is_dropped = std::ranges::any_of(  // heads with dropout of their own
            node.operands, [this](std::size_t operand) { return status(operand).is_dropped; });
        const bool is_wrong = normalised_axis(code_, id) != 0 || (node.operation == "cat" && !is_dropped &&
                                                                  !mistake_of(searches_.ask(id)).empty());
        return is_wrong     ? Status{mistake, {}, id}
               : is_dropped ? Status{.verdict = settings, .is_dropped = true}
                            : Status{by_product};
    }
    if (is_move(node.operation)) {
        if (step_named_as(id) && is_of_chapter(id) && !leads_to_step(id) &&
            !status(node.operands[0]).is_dropped) {
            return {mistake, {}, id};  // rearranged numbers under the name of the step
        }
        Status moved = status(node.operands[0]);
        const bool is_in_other_order =
            node.value.count() == code_[node.operands[0]].value.count() &&
            !std::ranges::equal(node.value.values(), code_[node.operands[0]].value.values());
        if (moved.verdict == unknown || (!moved.found.empty() && is_in_other_order)) {
            return Status{by_product};
        }
        return moved;
    }
    if (is_plain(node.operation) && !overwrites(code_, id)) {
        const bool is_wrong = (masks_weights(id) && mistake_of(searches_.ask(id)).starts_with("mask-")) ||
                              (normalises(code_, id) && !mistake_of(searches_.ask(id)).empty() &&
                               !is_on_purpose(id) && !is_about_draws(searches_.ask(id).matches.front()));
        return is_wrong || normalised_axis(code_, id) != 0 || is_scaled_wrongly(code_, id) ||
                       is_scaled_again(code_, id)
                   ? Status{mistake, {}, id}
                   : Status{by_product};
    }
    return as_call(id, follows_code);
}

// A step with other numbers: the diagnosis says which mistake made them, if any.
Status Verdicts::as_call(std::size_t id, bool follows_code) {
    using enum OutputVerdict;
    const Computed& node = code_[id];
    if (reassigned_operand(id)) {
        return {mistake, {}, id};
    }
    const bool are_right = std::ranges::all_of(node.operands, [this](std::size_t operand) {
        return code_.graph.is_harmless(operand) || is_right(status(operand).verdict);
    });
    const bool is_dropped = std::ranges::any_of(
        node.operands, [this](std::size_t operand) { return status(operand).is_dropped; });
    if (is_dropped_as_set(id) ||
        (multiplies(node.operation) && are_right && is_dropped && likely_mistake(id).empty())) {
        return {.verdict = settings, .is_dropped = true};
    }
    const Diagnosis& answer = searches_.ask(id);
    if (is_hidden(id) || (code_.pattern.is_right(id) && !has_draws_of_document(code_, id)) ||
        (answer.is_decided() && is_about_draws(answer.matches.front()) &&
         (are_right || !has_draws_of_document(code_, id)))) {
        return {settings};  // the reader's own inputs, or weights drawn in another way
    }
    if (answer.is_decided() && !answer.matches.front().mistakes.empty()) {
        return is_on_purpose(id) ? Status{consistent} : blamed(id);
    }
    if (const auto operand = answer.is_decided() ? std::nullopt : operand_of_notebook(id)) {
        return {mistake, {}, operand};
    }
    if (!answer.is_decided() && (global_in(code_, id) != nullptr || !likely_mistake(id).empty())) {
        return {mistake, {}, id};
    }
    return {answer.is_decided() && !follows_code ? settings : consistent};
}

// True for numbers that are turned to those of a step: (keys @ queries.T).T
bool Verdicts::is_turned_back(std::size_t id) const {
    return std::ranges::any_of(code_.graph.users(id), [&](std::size_t user) {
        return is_move(code_[user].operation) && code_[user].operands.size() == 1 &&
               std::ranges::any_of(find_steps(code_[user], code_.lessons), [](const Found& one) {
                   return one.piece.empty() && one.walk->node(one.step).value.rank() > 1;
               });
    });
}

// A departure, which an operand may show already: weights by log_softmax, before the context vectors.
Status Verdicts::blamed(std::size_t id) {
    using enum OutputVerdict;
    if (is_turned_back(id)) {
        return {by_product};
    }
    for (const std::size_t operand : code_[id].operands) {
        const bool is_open = is_plain(code_[operand].operation) && !code_.graph.is_harmless(operand) &&
                             status(operand).found.empty();
        if (is_open && mistake_of(searches_.ask(operand)) == mistake_of(searches_.ask(id))) {
            known_[operand] = Status{mistake, {}, operand};
            return {follows, {}, operand};
        }
    }
    return {mistake, {}, id};
}

}  // namespace attn
