#include "judge/causes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "judge/code_names.hpp"
#include "judge/node_signs.hpp"
#include "stages/catalogue.hpp"
#include "stages/shipped.hpp"
#include "stages/weight_names.hpp"
#include "tensor/digits.hpp"

namespace attn {

namespace {

// The first number of an altered lesson that differs from the documents', as code.
std::string right_number(const Tensor& own) {
    const Tensor right = built_in_lesson().embeddings;
    const auto at = static_cast<std::size_t>(std::ranges::mismatch(own.values(), right.values()).in1 -
                                             own.values().begin());
    const std::size_t width = own.shape()[1];
    return "inputs[" + std::to_string(at / width) + "][" + std::to_string(at % width) +
           "] = " + shortest_digits(right.values()[at]);
}

// The line of a projection with the weights that the name of its result says.
std::string with_other_weights(const CodeReading& code, std::size_t id) {
    const Computed& node = code[id];
    std::string line = node.line;
    for (const std::size_t used : node.operands) {
        const auto wanted = std::ranges::find_if(code.nodes, [&](const Computed& other) {
            return is_draw(other.operation) && !other.name.empty() &&
                   usual_weight_name(other.name) == usual_weight_name(node.name);
        });
        const std::size_t at = line.find(code[used].name);
        if (wanted != code.nodes.end() && is_draw(code[used].operation) && !code[used].name.empty() &&
            at != std::string::npos) {
            return line.replace(at, code[used].name.size(), wanted->name);
        }
    }
    return "";
}

// The line of softmax with the masked scores. If these have no name, the line that masks them, in place.
std::string with_mask(const CodeReading& code, std::size_t softmax, std::size_t masked) {
    if (code[masked].name.empty()) {
        std::string line = code[masked].line;
        const std::size_t fills = line.find("masked_fill(");
        return fills == std::string::npos ? ""
                                          : line.insert(fills + std::string_view("masked_fill").size(), "_");
    }
    std::string line = code[softmax].line;
    std::size_t scores = code[softmax].operands[0];
    while (code[scores].name.empty() && !code[scores].operands.empty()) {
        scores = code[scores].operands[0];
    }
    const std::string& name = code[scores].name;
    const std::size_t at = name.empty() ? std::string::npos : find_word(line, name, line.find('=') + 1);
    return at == std::string::npos ? "" : line.replace(at, name.size(), code[masked].name);
}

// True if the same seed is set directly before two layers of queries, keys and values.
bool sets_seed_often(const CodeReading& code) {
    std::set<std::pair<std::uint64_t, std::string>> seen;
    std::set<std::pair<std::uint64_t, std::optional<std::size_t>>> seeds;  // with the cell
    for (const Drawn& draw : code.flow.draws) {
        const std::string named = code.graph.named_step(draw.node);
        const bool is_first =
            draw.seed && draw.earlier == 0 && !named.empty() && seen.emplace(*draw.seed, named).second;
        if (is_first && !seeds.emplace(*draw.seed, code[draw.node].place.cell).second) {
            return true;
        }
    }
    return false;
}

// The use of a variable of the notebook that a departure may come from: no arithmetic that changes a right
// product with it.
const GlobalUse* global_cause(const CodeReading& code, Verdicts& verdicts, std::size_t culprit) {
    const bool changes_right =
        is_plain(code[culprit].operation) &&
        std::ranges::all_of(code[culprit].operands, [&](std::size_t operand) {
            return code.graph.is_harmless(operand) || !verdicts.status(operand).found.empty();
        });
    return changes_right ? nullptr : global_in(code, culprit);
}

// True for a projection by a layer that is made again, without the seed that the first one had.
bool is_of_layer_made_again(const CodeReading& code, std::size_t id) {
    return std::ranges::any_of(code[id].operands, [&](std::size_t operand) {
        const Drawn* const draw = code.graph.draw_of(operand);
        return draw != nullptr && draw->seed && draw->earlier > 0 && !draw->is_of_module &&
               std::ranges::any_of(code.flow.draws, [&](const Drawn& first) {
                   return first.seed == draw->seed && first.earlier < draw->earlier &&
                          first.node < draw->node &&
                          code.graph.named_step(first.node) == code.graph.named_step(operand) &&
                          !code.graph.named_step(operand).empty() &&
                          code[first.node].value.shape() == code[operand].value.shape();
               });
    });
}

// The first execution count that no cell has.
std::size_t missing_count(const Document& document) {
    std::size_t count = 1;
    while (std::ranges::any_of(document.items,
                               [&](const Item& item) { return item.place.execution_count == count; })) {
        ++count;
    }
    return count;
}

}  // namespace

Diagnosis named_mistake(const CodeReading& code, std::size_t culprit, std::string_view mistake,
                        const std::string& right) {
    const Stage* const linear = find_stage("linear");
    Match match{.stage = linear, .parameters = linear->defaults, .step = code.graph.named_step(culprit)};
    match.mistakes = {mistake};
    match.bits = 100.0;
    match.line = code[culprit].line;
    match.instead_of = right;
    Diagnosis answer;
    answer.matches.push_back(std::move(match));
    return answer;
}

Diagnosis cause_of(const CodeReading& code, Verdicts& verdicts, std::size_t culprit) {
    const auto named = [&](std::string_view mistake, const std::string& right = "") {
        return named_mistake(code, culprit, mistake, right);
    };
    if (is_altered_lesson(code, culprit)) {
        return named("other-input", right_number(code[culprit].value));
    }
    if (const std::string_view mistake = verdicts.evident_mistake(culprit); !mistake.empty()) {
        std::string line = code[culprit].line;
        const std::size_t in_place = line.find("_(");
        if (const std::optional<std::size_t> inputs = code.lessons.mixed_inputs(culprit)) {
            const std::vector<std::string> copies(code[culprit].value.shape()[0], code[*inputs].name);
            return named(mistake,
                         fmt::format("{}{}torch.stack(({}), dim=0)", code[culprit].name,
                                     code[culprit].name.empty() ? "" : " = ", fmt::join(copies, ", ")));
        }
        if (const std::optional<std::size_t> masked = forgotten_mask(code, culprit)) {
            return named(mistake, with_mask(code, culprit, *masked));
        }
        const bool is_mended = mistake == "changed-in-place" && in_place != std::string::npos;
        return named(mistake, is_mended ? line.erase(in_place, 1) : "");
    }
    const bool runs_again = code.graph.draw_of(culprit) != nullptr && code.graph.draw_of(culprit)->is_again;
    if (runs_again || is_of_layer_made_again(code, culprit)) {
        return named("seed-not-set-again");
    }
    const Diagnosis answer = verdicts.searches().ask(culprit);
    const bool is_global = global_cause(code, verdicts, culprit) != nullptr;
    if (is_global || verdicts.reassigned_operand(culprit)) {
        return !mistake_of(answer).empty() ? answer : named(is_global ? "notebook-variable" : "reassigned");
    }
    if (const std::string_view likely = verdicts.likely_mistake(culprit);
        !answer.is_decided() && !likely.empty()) {
        return named(likely);
    }
    const bool is_swapped = verdicts.status(culprit).is_swapped;
    if (const Drawn* const draw = code.graph.draw_of(culprit);
        !answer.is_decided() && !is_swapped && (draw == nullptr || draw->earlier > 0)) {
        const std::optional<Found> step = verdicts.step_named_as(culprit);
        return named(draw != nullptr ? "drawn-before" : "other-than-its-name",
                     step ? step_lines(*step->walk, step->step).back() : "");
    }
    if (is_swapped && !is_draw(code[culprit].operation)) {
        return named("same-projection", with_other_weights(code, culprit));
    }
    const bool may_be_draws =
        is_swapped || is_draw(code[culprit].operation) || !verdicts.searches().are_drawn_right(culprit);
    const bool is_open = answer.matches.empty() || answer.matches.front().mistakes.empty();
    const bool is_of_other_layer =
        is_swapped || (is_open && is_draw(code[culprit].operation)) || (may_be_draws && answer.is_right());
    if (!is_of_other_layer && (is_open || (!may_be_draws && is_about_draws(answer.matches.front())))) {
        const std::optional<Found> meant = verdicts.step_named_as(culprit);
        return named("other-than-its-name", meant ? step_lines(*meant->walk, meant->step).back() : "");
    }
    return !is_of_other_layer ? answer
                              : named(sets_seed_often(code) ? "seed-set-before-each-layer" : "draw-order");
}

std::vector<Circumstance> circumstances_of(const CodeReading& code, Verdicts& verdicts, const Judged& output,
                                           std::size_t culprit) {
    std::vector<Circumstance> all;
    if (const auto operand = verdicts.reassigned_operand(culprit)) {
        const Computed& used = code[operand->used];
        all.push_back({"assigned_twice", used.name, code[operand->other].place, used.place});
    }
    if (const Overwritten* const use = overwritten_in(code, culprit)) {
        all.push_back({"overwritten_by_loop", use->name, use->assigned, use->loop});
    }
    if (code.graph.draw_of(culprit) != nullptr && code.graph.draw_of(culprit)->is_again) {
        Place earlier = code[culprit].place;
        earlier.execution_count =
            code.followed.options.again ? code.followed.options.again->count : missing_count(code.document);
        all.push_back({"ran_twice", code[culprit].name, earlier, {}});
    }
    if (code.followed.options.again &&
        (mistake_of(output.diagnosis) == "added-up-twice" || is_scaled_again(code, culprit))) {
        all.push_back({"added_again", code[culprit].name, output.place, {}});
    }
    if (const GlobalUse* const use = global_cause(code, verdicts, culprit)) {
        all.push_back({"uses_global", use->name, use->place, use->assigned});
    }
    const std::string_view mistake = mistake_of(output.diagnosis);
    const bool is_of_dropout = mistake == "dropout-not-reseeded";
    const auto late = std::ranges::find_if(code.flow.draws, [&](const Drawn& draw) {
        return draw.earlier > 0 && !draw.is_again && draw.seeded && code.graph.depends(culprit, draw.node) &&
               (code[draw.node].operation == "dropout-mask") == is_of_dropout;
    });
    if ((is_of_dropout || mistake == "seed-not-set-again" || mistake == "drawn-before") &&
        late != code.flow.draws.end()) {
        const Computed& drawn = code[late->node];
        const std::string named = drawn.name.empty() ? code.graph.named_step(late->node) : drawn.name;
        all.push_back({"drawn_later", named.empty() ? output.label : named, drawn.place, *late->seeded});
    }
    for (const std::size_t operand : code[culprit].operands) {
        const Computed& of = code[operand];
        if (!of.name.empty() && of.place.cell && output.place.cell && *of.place.cell > *output.place.cell) {
            all.push_back({"ran_before", of.name, code[culprit].place, of.place});
        }
    }
    return all;
}

}  // namespace attn
