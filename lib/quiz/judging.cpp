// Compares an answer with the right one. If it is wrong, compares it with the results of runs with one
// mistake.
#include "quiz/judging.hpp"

#include <algorithm>

namespace attn {

namespace {

// The step of a question in a walk with a mistake; nothing if the walk ended before it.
std::optional<std::size_t> step_in(const StageTrace& wrong, const QuizQuestion& question) {
    return wrong.find(question.right->node(question.step).name);
}

}  // namespace

const Verdict& AnswerJudge::judge(const QuizQuestion& question, std::string_view typed) {
    const std::pair key(&question, std::string(typed));
    const auto found = verdicts_.find(key);
    return found != verdicts_.end() ? found->second
                                    : verdicts_.emplace(key, verdict(question, typed)).first->second;
}

Verdict AnswerJudge::verdict(const QuizQuestion& question, std::string_view typed) {
    const Answer right = question.right_answer();
    Verdict verdict;
    verdict.answer = read_answer(typed, right);
    if (!verdict.answer) {
        return verdict;
    }
    verdict.right = agrees(*verdict.answer, right, question.decimals);
    if (!verdict.right) {
        verdict.mistakes = known_mistakes(question, *verdict.answer);
        verdict.too_short = verdict.mistakes.empty() && too_short(*verdict.answer, right, question.decimals);
    }
    return verdict;
}

// Mistakes in the question's own line come first, because readers see the right results of earlier lines.
std::vector<AnsweredMistake> AnswerJudge::known_mistakes(const QuizQuestion& question, const Typed& typed) {
    const StageTrace& right = *question.right;
    std::vector<AnsweredMistake> found;
    for (const WrongAnswer& one : wrong_answers(question)) {
        // Only the first way to make a mistake that matches counts.
        const bool is_found = one.edit && !found.empty() && found.back().id == one.mistake;
        if (is_found || !agrees(typed, one.answer, question.decimals)) {
            continue;
        }
        found.push_back({one.mistake, {}});
        if (one.edit) {
            const StageTrace wrong = walk_wrong(question, *one.edit);
            found.back().lines = changed_lines(wrong, right, *step_in(wrong, question), question.step);
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

// Walks the stage of a question with all mistakes, and keeps the answers to all questions about this walk.
const std::vector<AnswerJudge::WrongAnswer>& AnswerJudge::wrong_answers(const QuizQuestion& question) {
    const auto known = wrong_answers_.find(&question);
    if (known != wrong_answers_.end()) {
        return known->second;
    }
    const StageTrace& right = *question.right;
    std::vector<const QuizQuestion*> asked;
    for (const QuizQuestion& one : questions_) {
        if (one.right == &right) {
            asked.push_back(&one);
        }
    }
    for (const Mistake& mistake : mistakes()) {
        for (const WalkEdit& edit : mistake.edits(right.parameters)) {
            const StageTrace wrong = walk_wrong(question, edit);
            for (const QuizQuestion* const one : asked) {
                const std::optional<std::size_t> step = step_in(wrong, *one);
                if (const auto answer = step ? one->answer(wrong.node(*step).value) : std::nullopt) {
                    wrong_answers_[one].push_back({mistake.id, edit, *answer});
                }
            }
        }
        for (const QuizQuestion* const one : asked) {
            const auto answer = mistake.id == "transposed"
                                    ? one->answer(transposed(right.node(one->step).value))
                                    : std::nullopt;
            if (answer) {
                wrong_answers_[one].push_back({mistake.id, std::nullopt, *answer});
            }
        }
    }
    return wrong_answers_[&question];
}

StageTrace AnswerJudge::walk_wrong(const QuizQuestion& question, const WalkEdit& edit) const {
    const StageTrace& right = *question.right;
    const Inputs own{inputs_.focus, right.own_weights ? inputs_.weights : nullptr};
    return walk_with({&edit}, *right.stage, *question.lesson, right.parameters, own);
}

}  // namespace attn
