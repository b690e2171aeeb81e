// Compares an answer with the right one. If it is wrong, compares it with the results of runs with one
// mistake.
#include "quiz/judging.hpp"

#include <algorithm>
#include <utility>

#include "diagnosis/mistakes/mistakes.hpp"

namespace attn {

namespace {

// Mistakes in the question's own line come first, because readers see the right results of earlier lines.
std::vector<AnsweredMistake> known_mistakes(const QuizQuestion& question, const Typed& typed,
                                            const Inputs& inputs) {
    const StageTrace& right = *question.right;
    const Inputs own{inputs.focus, right.own_weights ? inputs.weights : nullptr};
    const auto fits = [&](const std::optional<Answer>& answer) {
        return answer && agrees(typed, *answer, question.decimals);
    };
    // If the mistake gives the typed answer, returns the lines with the mistake.
    const auto attempt = [&](const WalkEdit& edit) -> std::optional<ChangedLines> {
        const StageTrace wrong = walk_with({&edit}, *right.stage, *question.lesson, right.parameters, own);
        const auto step = wrong.find(right.node(question.step).name);
        if (!step || !fits(question.answer(wrong, *step, false))) {
            return std::nullopt;
        }
        return changed_lines(wrong, right, *step, question.step);
    };
    std::vector<AnsweredMistake> found;
    for (const Mistake& mistake : mistakes()) {
        for (const WalkEdit& edit : mistake.edits(right.parameters)) {
            if (std::optional<ChangedLines> lines = attempt(edit)) {
                found.push_back({mistake.id, std::move(*lines)});
                break;
            }
        }
        if (mistake.id == "transposed" && fits(question.answer(right, question.step, true))) {
            found.push_back({mistake.id, {}});
        }
    }
    const std::string own_line = right.node(question.step).name + " = ";
    std::stable_partition(found.begin(), found.end(),
                          [&](const AnsweredMistake& one) { return one.lines.line.starts_with(own_line); });
    if (question.asks_for_shape()) {  // the answer itself is nearer than a line before it
        std::stable_partition(found.begin(), found.end(),
                              [](const AnsweredMistake& one) { return one.id == "transposed"; });
    }
    return found;
}

}  // namespace

Verdict judge(const QuizQuestion& question, std::string_view typed, const Inputs& inputs) {
    const Answer right = question.right_answer();
    Verdict verdict;
    verdict.answer = read_answer(typed, right);
    if (!verdict.answer) {
        return verdict;
    }
    verdict.right = agrees(*verdict.answer, right, question.decimals);
    if (!verdict.right) {
        verdict.mistakes = known_mistakes(question, *verdict.answer, inputs);
        verdict.too_short = verdict.mistakes.empty() && too_short(*verdict.answer, right, question.decimals);
    }
    return verdict;
}

}  // namespace attn
