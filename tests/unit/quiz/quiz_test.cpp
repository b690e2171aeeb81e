// The quiz: its questions, reading answers, and the feedback on wrong ones. tests/cli/quiz.py takes it.
#include "quiz/judging.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <variant>

#include "mistaken.hpp"
#include "notebook/replay.hpp"
#include "quiz/hints.hpp"
#include "quiz_of.hpp"
#include "special.hpp"
#include "tensor/layout.hpp"
#include "tensor/tensor_text.hpp"
#include "texts.hpp"
#include "walked.hpp"

using namespace attn;

namespace {

Trace trace_of_all() {
    Trace trace{journey(), {}};
    for (const Stage* stage : catalogue()) {
        trace.stages.push_back(walk_defaults(stage->name));
    }
    return trace;
}

// Checks whether what is typed is right or wrong.
void check(bool right, const Answer& answer, std::initializer_list<std::string_view> typed) {
    for (const std::string_view text : typed) {
        const auto read = read_answer(text, answer);
        CHECK_MESSAGE((read && agrees(*read, answer, 4)) == right, std::string(text));
    }
}

}  // namespace

TEST_CASE("numbers are read as people write them") {
    check(true, 0.551678F,
          {"0.5517", "0.55168", ".5517", "0.5516", " 0.5517 ", "tensor(0.5517)", "5.517e-1", "+0.5517",
           "`0.5517`", "0,5517", "０．５５１７", "０，５５１７"});
    check(false, 0.551678F,
          {"0.55", "0.5514", "-0.5517", "1,000,551", "", "x", "0.5517x", "nan", "0.5 517 1"});
    check(true, -inf, {"-inf", "\u2212inf", "-Infinity", "-INF", "float('-inf')", "-torch.inf", "-\u221e"});
    check(false, -inf, {"inf", "-1e30"});
    check(true, 0.5F, {"0.5"});  // there are no further digits
    check(true, 10.9812F, {"10.982"});
    check(true, Count{2}, {"2", "2.0"});
    check(false, Count{2}, {"2.1"});
}

TEST_CASE("signs, marks and words around a number do not change it") {
    check(true, 0.551678F,
          {"≈0.5517",
           "≈ 0.5517",
           "~0.5517",
           "= 0.5517",
           "**0.5517**",
           "*0.5517*",
           "$0.5517$",
           "$\\approx 0.5517$",
           "\\boxed{0.5517}",
           "0.5517.",
           "(0.5517)",
           "[0.5517]",
           "attn_weights[1][0] = 0.5517",
           "Answer: 0,5517",
           "about 0.5517",
           "it is approximately 0.5517",
           "约 0.5517",
           "约0.5517",
           "答案是0.5517。",
           "约为 0.5517",
           "tensor(0.5517)",
           "attn_weights[1][0] ≈ 0.5517",
           "+ 0.5517",
           "0.5517 = attn_weights[1][0]"});
    check(true, -0.551678F, {"- 0.5517", "minus 0.5517", "negative 0.5517", "负0.5517", "≈ \u22120.5517"});
    check(true, -inf,
          {"minus infinity", "negative infinity", "负无穷", "负无穷大", "= -inf", "**-inf**", "$-\\infty$"});
    check(true, Count{4},
          {"line 4",
           "Line 4.",
           "line4",
           "#4",
           "No. 4",
           "number 4",
           "第4行",
           "第 4 行",
           "第四行",
           "四",
           "four",
           "line four",
           "4th",
           "the 4th line",
           "fourth",
           "**4**",
           "4.",
           "= 4",
           "the answer is 4",
           "4  attn_weights = torch.softmax(attn_scores / keys.shape[-1]**0.5, dim=-1)"});
    check(true, Count{1}, {"True", "d_out = 1", "1 each"});
    check(true, Count{64}, {"64 dimensions", "64 wide", "d_k: 64"});
    check(false, 0.551678F, {"0.5517 = 0.5518", "0.5517 or 0.6", "not 0.5517", "=", "≈", "line", "True"});
    check(false, Count{4}, {"not 4", "line 3", "3 or 4", "lines 3, 4", "4 = 5", "-4", "line", "第行"});
}

TEST_CASE("shapes are read as people write them") {
    check(true, Shape{6, 2},
          {"(6, 2)",
           "6, 2",
           "6,2",
           "[6,2]",
           "6x2",
           "6 × 2",
           "6 by 2",
           "torch.Size([6, 2])",
           "（6，2）",
           "6 2",
           "**(6, 2)**",
           "= (6, 2)",
           "(6, 2).",
           "$6 \\times 2$",
           "6 rows, 2 columns",
           "6 rows and 2 columns",
           "6行2列",
           "6 行 2 列",
           "shape: (6, 2)",
           "the shape is (6, 2)",
           "形状是 (6, 2)"});
    check(false, Shape{6, 2}, {"(2, 6)", "6", "62", "", "6x2x1", "six", "6.2", "-6, 2", "1,2,3,4,5"});
    check(true, Shape{3}, {"(3,)"});
    check(true, Shape{}, {"()"});
}

TEST_CASE("every question's answer, typed as it is shown, is right" * doctest::test_suite("long")) {
    const Trace trace = trace_of_all();
    std::size_t asked = 0;
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        const Quiz quiz = quiz_of(trace, seed);
        AnswerJudge judge(quiz.questions, {});
        for (const QuizQuestion& one : quiz.questions) {
            CAPTURE(one.text);
            CHECK(judge.judge(one, answer_text(one.right_answer(), one.decimals)).right);
            CHECK_FALSE(judge.judge(one, "").answer.has_value());
            ++asked;
        }
    }
    CHECK(asked > 600);
}

TEST_CASE("questions are selected in reading order") {
    const Trace trace = trace_of({"simplified", "causal"});
    Quiz quiz = quiz_of(trace);
    select_questions(quiz, 8, 1);
    REQUIRE(quiz.questions.size() == 8);
    for (std::size_t i = 1; i < quiz.questions.size(); ++i) {
        const QuizQuestion& before = quiz.questions[i - 1];
        const QuizQuestion& after = quiz.questions[i];
        CHECK((before.right < after.right || (before.right == after.right && before.step <= after.step)));
    }
}

TEST_CASE("each kind of question comes in turn, and no more than one in five asks for a shape" *
          doctest::test_suite("long")) {
    const Trace trace = trace_of({"causal"});
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Quiz all = quiz_of(trace, seed);
        for (const std::size_t count : {1U, 4U, 5U, 10U, 1000U}) {
            Quiz quiz = all;
            select_questions(quiz, count, seed);
            const auto shapes = static_cast<std::size_t>(
                std::ranges::count_if(quiz.questions, &QuizQuestion::asks_for_shape));
            CHECK(quiz.questions.size() <= count);
            CHECK(quiz.questions.size() >= std::min<std::size_t>(count, 10));
            CHECK(5 * shapes <= quiz.questions.size());
            std::set<std::string_view> kinds;
            for (const QuizQuestion& one : quiz.questions) {
                kinds.insert(one.kind);
            }
            CHECK((count < 10 || kinds.size() == 5));
        }
    }
    Trace weights = trace_of({"causal"});  // no other question is possible
    const std::array<std::string, 1> only{"W_query"};
    weights.stages.front().show_only(only);
    Quiz quiz = quiz_of(weights);
    select_questions(quiz, 10, 1);
    CHECK(quiz.questions.size() == 1);
}

TEST_CASE("a hint is the line that computes the cell, the formula, or a sentence, and never the answer" *
          doctest::test_suite("long")) {
    const Words phrases("en", "quiz");
    const Trace trace = trace_of_all();
    const Quiz quiz = quiz_of(trace);
    for (const QuizQuestion& one : quiz.questions) {
        CAPTURE(one.text);
        const std::string text = hint(one, phrases);
        CHECK_FALSE(text.empty());
        if (one.decimals > 0) {
            CHECK(!has(text, answer_text(one.right_answer(), one.decimals)));
        }
    }
}

TEST_CASE("weights, shapes and dropout are asked about, and a known mistake is named") {
    const Trace trace = trace_of({"causal"});
    const Quiz quiz = quiz_of(trace);
    const auto mistake = [&](const QuizQuestion& one, std::string_view typed) {
        const Verdict verdict = AnswerJudge(quiz.questions, {}).judge(one, typed);
        CHECK_FALSE(verdict.right);
        return verdict.mistakes.empty() ? "" : std::string(verdict.mistakes.front().id);
    };
    const QuizQuestion& weight = question(quiz, "What is attn_weights[");
    const auto with = [&](std::string_view id) {
        const StageTrace wrong = walk_mistaken("causal", {id});
        return answer_text(*weight.answer(step_value(wrong, "attn_weights")), 4);
    };
    for (const std::string_view id : {"scaled-by-d-in", "scaled-by-d-k", "no-scaling"}) {
        CHECK(mistake(weight, with(id)) == id);
    }
    const QuizQuestion& kept = question(quiz, "attn_weights_dropped");
    const double right = static_cast<double>(std::get<float>(kept.right_answer()));
    CHECK(mistake(kept, fmt::format("{:.4f}", right / 2)) == "dropout-not-rescaled");
    CHECK(mistake(question(quiz, "What is the shape of W_query?"), "(3, 2)") != "");
    CHECK(mistake(question(quiz, "What is the shape of queries?"), "(9, 9)") == "");
}

TEST_CASE("the book's exercises are asked, with the answers they have") {
    const Trace trace = trace_of({"linear", "multi-head-wrapper", "multi-head"});
    Quiz quiz = quiz_of(trace);
    std::erase_if(quiz.questions, [](const QuizQuestion& one) { return !one.is_exercise(); });
    REQUIRE(quiz.questions.size() == 6);
    const auto& linear = quiz.questions[0];
    CHECK(linear.right->stage->name == "linear");
    CHECK(answer_text(quiz.questions[1].right_answer(), 4) == "1");
    // Two heads of one number each give vectors of two numbers.
    CHECK(step_value(*quiz.questions[1].right, "context_vec").shape() == Shape{2, 6, 2});
    CHECK(answer_text(quiz.questions[3].right_answer(), 4) == "64");
    CHECK(answer_text(quiz.questions[4].right_answer(), 4) == "(1, 12, 1024, 64)");
    CHECK(answer_text(quiz.questions[5].right_answer(), 4) == "(1, 12, 1024, 1024)");
    // With transposed weights, the context vectors are the same.
    const Answer v1 = linear.right_answer();
    const Tensor& v2 = step_value(*linear.right, "context_vec");
    CHECK(std::ranges::count(v2.values(), std::get<float>(v1)) > 0);
}

TEST_CASE("a known mistake changes each cell that is asked about") {
    const Trace trace = trace_of({"causal"});
    const StageTrace& right = trace.stages.front();
    std::vector<StageTrace> wrong;
    for (const WalkEdit& edit : known_edits(right.parameters)) {
        wrong.push_back(walk_with({&edit}, *right.stage, trace.lesson, right.parameters, {}).value());
    }
    std::size_t cells = 0;
    const Quiz quiz = quiz_of(trace);
    for (const QuizQuestion& one : quiz.questions) {
        if (!one.cell) {
            continue;
        }
        ++cells;
        const Node& step = right.node(one.step);
        const auto changes = [&](const Tensor& x) {
            const std::optional<Answer> given = one.answer(x);
            return given &&
                   answer_text(*given, one.decimals) != answer_text(one.right_answer(), one.decimals);
        };
        CHECK_MESSAGE((changes(transposed(step.value)) ||
                       std::ranges::any_of(wrong,
                                           [&](const StageTrace& walked) {
                                               const auto found = walked.find(step.name);
                                               return found && changes(walked.node(*found).value);
                                           })),
                      one.text);
    }
    CHECK(cells > 8);
}

TEST_CASE("a wrong output is shown, and the right line of those above it is the answer" *
          doctest::test_suite("long")) {
    const Trace trace = trace_of({"causal"});
    std::set<std::string> lines;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Quiz quiz = quiz_of(trace, seed);
        for (const QuizQuestion& one : quiz.questions) {
            if (one.kind != "wrong_line") {
                continue;
            }
            const Node& step = one.right->node(one.step);
            const std::string right = tensor_text(step.value, {});
            CHECK(one.shown.find(right) == one.shown.size() - right.size() - 1);
            const std::string number = answer_text(one.right_answer(), 0);
            const std::size_t at = one.shown.find((number.size() == 1 ? " " : "") + number + "  ");
            REQUIRE(at != std::string::npos);
            lines.insert(one.shown.substr(at + 4, one.shown.find('\n', at) - at - 4));
        }
    }
    CHECK(lines.contains("attn_weights = torch.softmax(attn_scores / keys.shape[-1]**0.5, dim=-1)"));
    CHECK(lines.contains("mask = torch.triu(torch.ones(context_length, context_length), diagonal=1)"));
    CHECK(lines.size() > 8);
}

TEST_CASE("no small change of a different line gives the table of a question about a wrong line" *
          doctest::test_suite("long")) {
    const Trace trace = trace_of({"causal"});
    std::size_t asked = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const Quiz quiz = quiz_of(trace, seed);
        for (const QuizQuestion& one : quiz.questions) {
            if (one.kind != "wrong_line") {
                continue;
            }
            const std::size_t steps[] = {one.step};
            Replay replay(one.right->notebook, steps);
            const std::string& name = one.right->node(one.step).name;
            const std::string answer = fmt::format("{:>2}  ", std::get<Count>(one.right_answer()).value);
            for (const std::size_t id : one.right->steps) {
                const Node& line = one.right->node(id);
                const bool is_shown = has(one.shown, "  " + line.name + " = ");
                if (!is_shown || has(one.shown, answer + line.name + " = ") || line.value.rank() != 2) {
                    continue;
                }
                for (const Tensor& value : {tril(line.value), triu(line.value), transposed(line.value)}) {
                    const bool is_made = value.shape() == line.value.shape() && replay.make_of(id, value);
                    const Tensor* const changed = is_made ? replay.changed(one.step) : nullptr;
                    asked += changed != nullptr ? 1 : 0;
                    CHECK_FALSE((changed != nullptr &&
                                 has(one.shown, name + " =\n" + tensor_text(*changed, {}) + "\n\n")));
                }
            }
        }
    }
    CHECK(asked > 100);
}
