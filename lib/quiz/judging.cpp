// Compares an answer with the right one. If it is wrong, compares it with the results of runs with one
// mistake.
#include "quiz/judging.hpp"

#include <algorithm>

#include "mistakes/work.hpp"
#include "notebook/replay.hpp"

namespace attn {

namespace {

// The work of all mistakes in a stage, about a second. The unlikeliest mistakes in long walks are left out.
constexpr Work most_tried = 200'000'000;

// The work of repeating the calls from this one on.
Work work_from(const StageTrace& right, std::size_t first) {
    const Nodes& nodes = right.notebook.nodes();
    Work work = 0;
    for (std::size_t id = first; id < nodes.size(); ++id) {
        work += work_of_call(nodes[id]);
    }
    return work;
}

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
        if (!one.edit) {
            found.push_back({one.mistake, {}});
            continue;
        }
        const std::optional<StageTrace> wrong = walk_wrong(question, *one.edit);
        const std::optional<std::size_t> step = wrong ? step_in(*wrong, question) : std::nullopt;
        const auto answer = step ? question.answer(wrong->node(*step).value) : std::nullopt;
        if (answer && agrees(typed, *answer, question.decimals)) {
            found.push_back({one.mistake, changed_lines(*wrong, right, *step, question.step)});
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

// Repeats the stage of a question with each mistake, and keeps the answers to all questions about this walk.
const std::vector<AnswerJudge::WrongAnswer>& AnswerJudge::wrong_answers(const QuizQuestion& question) {
    const auto known = wrong_answers_.find(&question);
    if (known != wrong_answers_.end()) {
        return known->second;
    }
    const StageTrace& right = *question.right;
    std::vector<const QuizQuestion*> asked;
    std::vector<std::size_t> steps;
    for (const QuizQuestion& one : questions_) {
        if (one.right == &right) {
            asked.push_back(&one);
            steps.push_back(one.step);
        }
    }
    const auto add = [&](const QuizQuestion* one, const Mistake& mistake, std::optional<WalkEdit> edit,
                         const Tensor& value) {
        if (const std::optional<Answer> answer = one->answer(value)) {
            wrong_answers_[one].push_back({mistake.id, std::move(edit), *answer});
        }
    };
    Budget budget;
    budget.limit(most_tried);
    Replay replay(right.notebook, steps);
    for (const Mistake& mistake : mistakes()) {
        for (const WalkEdit& edit : mistake.edits(right.parameters)) {
            if (!budget.take(0, mistake.id)) {  // nothing is left
                break;
            }
            const bool is_repeated = edit.calls && replay.make({edit.calls}, edit.from);
            std::optional<StageTrace> wrong;
            if (is_repeated) {
                budget.count(work_from(right, replay.first_changed()));
            } else if (budget.take(work_of(right), mistake.id)) {
                wrong = walk_wrong(question, edit);
            }
            for (const QuizQuestion* const one : asked) {
                const Tensor* const changed = is_repeated ? replay.changed(one->step) : nullptr;
                const std::optional<std::size_t> step = wrong ? step_in(*wrong, *one) : std::nullopt;
                if (changed != nullptr || step) {
                    add(one, mistake, edit, step ? wrong->node(*step).value : *changed);
                }
            }
        }
        if (mistake.id == "transposed") {
            for (const QuizQuestion* const one : asked) {
                add(one, mistake, std::nullopt, transposed(right.node(one->step).value));
            }
        }
    }
    return wrong_answers_[&question];
}

std::optional<StageTrace> AnswerJudge::walk_wrong(const QuizQuestion& question, const WalkEdit& edit) const {
    const StageTrace& right = *question.right;
    const Inputs own{inputs_.focus, right.own_weights ? inputs_.weights : nullptr};
    return walk_with({&edit}, *right.stage, *question.lesson, right.parameters, own);
}

}  // namespace attn
