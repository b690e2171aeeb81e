#include "diagnosis/together.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "diagnosis/costs.hpp"

namespace attn {

namespace {

// Matches with the same key belong to one run.
using RunKey = std::tuple<const Stage*, std::string, std::vector<std::string_view>>;

RunKey run_of(const Match& match) {
    std::string parameters;
    for (const ParameterRow& row : parameter_table()) {
        parameters += row.json(match.parameters) + " ";
    }
    if (!match.label.empty()) {  // each wrong label counts as a separate mistake
        parameters += match.step;
    }
    return {match.stage, std::move(parameters), match.mistakes};
}

// Returns how well each run explains all tensors together, in bits. The cost of its mistakes counts once.
std::map<RunKey, double> worth_together(std::span<const Diagnosis> diagnoses) {
    std::map<RunKey, double> worth;
    std::map<RunKey, double> cost;
    for (const Diagnosis& diagnosis : diagnoses) {
        std::map<RunKey, double> best;
        for (const Match& match : diagnosis.matches) {
            if (match.mistakes.empty() != diagnosis.is_right()) {  // right numbers need no mistake
                continue;
            }
            const RunKey run = run_of(match);
            const double of_mistakes = match.label.empty() ? match.mistake_bits : 0.0;
            const double bits = match.bits + of_mistakes;
            const auto known = best.emplace(run, bits).first;
            known->second = std::max(known->second, bits);
            const auto paid = cost.emplace(run, of_mistakes).first;
            paid->second = std::max(paid->second, of_mistakes);
        }
        for (const auto& [run, bits] : best) {
            worth[run] += std::max(bits, 0.0);
        }
    }
    for (auto& [run, bits] : worth) {
        bits -= cost.at(run);
    }
    return worth;
}

using Steps = std::set<std::pair<const Stage*, std::string>>;

// Returns the steps that right tensors are.
Steps right_steps(std::span<const Diagnosis> diagnoses) {
    Steps steps;
    for (const Diagnosis& one : diagnoses) {
        for (const Match& match : one.matches) {
            if (one.is_right() && one.is_decided() && match.mistakes.empty()) {
                steps.emplace(match.stage, match.step);
            }
        }
    }
    return steps;
}

void put_best_run_first(std::span<Diagnosis> diagnoses) {
    const std::map<RunKey, double> worth = worth_together(diagnoses);
    const Steps right = right_steps(diagnoses);
    const auto score = [&](const Match& match) {
        const bool is_contradicted = std::ranges::any_of(match.changes, [&](const std::string& step) {
            return right.contains({match.stage, step});
        });
        return worth.at(run_of(match)) - (is_contradicted ? threshold::contradiction : 0.0);
    };
    for (Diagnosis& diagnosis : diagnoses) {
        std::vector<Match>& matches = diagnosis.matches;
        auto best = matches.begin();
        for (auto match = matches.begin(); match != matches.end(); ++match) {
            if (match->mistakes.empty() == diagnosis.is_right() &&
                match->bits > matches.front().bits - threshold::as_good && score(*match) > score(*best)) {
                best = match;
            }
        }
        if (best != matches.begin()) {
            std::rotate(matches.begin(), best, best + 1);
        }
    }
}

// Finds the first pasted step that each mistake changes.
void find_first_steps(std::span<Diagnosis> diagnoses) {
    std::map<RunKey, const Match*> first;
    for (const Diagnosis& diagnosis : diagnoses) {
        if (!diagnosis.matches.empty() && !diagnosis.is_right()) {
            const Match& match = diagnosis.matches.front();
            const Match*& known = first[run_of(match)];
            known = known == nullptr || match.place < known->place ? &match : known;
        }
    }
    for (Diagnosis& diagnosis : diagnoses) {
        if (!diagnosis.matches.empty() && !diagnosis.is_right() &&
            diagnosis.matches.front().label.empty()) {  // a label is evidence only for its own tensor
            const Match& match = diagnosis.matches.front();
            const Match& origin = *first[run_of(match)];
            diagnosis.inherits = origin.place < match.place ? origin.step : "";
        }
    }
}

Tensor as_pasted(const PrintedTensor& printed, const Shape& shape) {
    Tensor tensor(shape);
    std::ranges::transform(printed.numbers, tensor.values().begin(),
                           [](const PrintedNumber& number) { return static_cast<float>(number.value); });
    return tensor;
}

// Returns the later steps of a stage, computed from pasted numbers that replace one step.
StageTrace walk_on_from(const RightWalk& right, std::size_t step, const Tensor& pasted,
                        const Question& question) {
    const Edit replace = [step, &pasted, given = std::optional<Var>()](
                             Notebook& nb, const Call& call) mutable -> std::optional<Var> {
        if (std::ranges::find(call.inputs, step) == call.inputs.end()) {
            return std::nullopt;
        }
        given = given ? given : nb.given(pasted);
        std::vector<Var> inputs;
        for (const std::size_t input : call.inputs) {
            inputs.push_back(input == step ? *given : Var{&nb, input});
        }
        return nb.record(*call.operation, inputs, call.attributes);
    };
    return walk_edited(*right.trace.stage, question.lesson, right.trace.parameters, question.inputs,
                       {replace});
}

// Finds the pasted steps that follow from the first unexplained step.
void walk_on(std::span<Diagnosis> diagnoses, std::span<const Pattern* const> patterns, const RightWalk& right,
             const Question& question) {
    const auto place = [&](const Diagnosis& diagnosis) -> std::size_t {
        const bool open = diagnosis.matches.empty() && diagnosis.inherits.empty() && diagnosis.nearest &&
                          diagnosis.nearest->stage == right.trace.stage && diagnosis.nearest->piece.empty();
        const auto step = open ? right.trace.find(diagnosis.nearest->step) : std::nullopt;
        return step.value_or(right.trace.notebook.nodes().size());
    };
    const auto first = std::ranges::min_element(diagnoses, {}, place);
    const std::size_t step = place(*first);
    const PrintedTensor& printed = patterns[static_cast<std::size_t>(first - diagnoses.begin())]->printed();
    if (step == right.trace.notebook.nodes().size() || printed.summarised()) {
        return;
    }
    const Node& node = right.trace.node(step);
    // In this walk, the nearest step may have a different shape, because its own walk had other parameters.
    if (printed.numbers.size() != node.value.count()) {
        return;
    }
    const StageTrace made = walk_on_from(right, step, as_pasted(printed, node.value.shape()), question);
    for (std::size_t i = 0; i < diagnoses.size(); ++i) {
        const bool later =
            place(diagnoses[i]) < right.trace.notebook.nodes().size() && &diagnoses[i] != &*first;
        for (const std::size_t id : made.steps) {
            const std::optional<std::size_t> original = right.trace.find(made.node(id).name);
            if (later && original && *original > step && patterns[i]->find_in(made.node(id).value)) {
                diagnoses[i].inherits = node.name;
            }
        }
    }
}

}  // namespace

void take_together(std::span<Diagnosis> diagnoses, std::span<const Pattern* const> patterns,
                   const Walks& rights, const Question& question) {
    if (diagnoses.size() < 2) {
        return;
    }
    put_best_run_first(diagnoses);
    find_first_steps(diagnoses);
    for (const RightWalk* const right : rights) {
        walk_on(diagnoses, patterns, *right, question);
    }
}

}  // namespace attn
