// The quiz: its questions, reading answers, and the feedback on wrong ones. tests/cli/quiz.py takes it.
#include "quiz/judging.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "quiz/hints.hpp"
#include "quiz_of.hpp"
#include "special.hpp"
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
          {"0.5517", "0.55168", ".5517", "0.5516", " 0.5517 ", "tensor(0.5517)", "5.517e-1", "+0.5517"});
    check(false, 0.551678F, {"0.55", "0.5514", "-0.5517", "0,5517", "", "x", "0.5517x", "nan", "0.5 517 1"});
    check(true, -inf, {"-inf", "\u2212inf", "-Infinity", "-INF", "float('-inf')", "-torch.inf", "-\u221e"});
    check(false, -inf, {"inf", "-1e30"});
    check(true, 0.5F, {"0.5"});  // there are no further digits
    check(true, 10.9812F, {"10.982"});
    check(true, Count{2}, {"2", "2.0"});
    check(false, Count{2}, {"2.1"});
}

TEST_CASE("shapes are read as people write them") {
    check(true, Shape{6, 2},
          {"(6, 2)", "6, 2", "6,2", "[6,2]", "6x2", "6 × 2", "6 by 2", "torch.Size([6, 2])", "（6，2）",
           "6 2"});
    check(false, Shape{6, 2}, {"(2, 6)", "6", "62", "", "6x2x1", "six", "6.2", "-6, 2", "1,2,3,4,5"});
    check(true, Shape{3}, {"(3,)"});
    check(true, Shape{}, {"()"});
}

TEST_CASE("every question's answer, typed as it is shown, is right") {
    const Trace trace = trace_of_all();
    std::size_t asked = 0;
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        const Quiz quiz = quiz_of(trace, seed);
        for (const QuizQuestion& one : quiz.questions) {
            CAPTURE(one.text);
            CHECK(AnswerJudge(quiz.questions, {})
                      .judge(one, answer_text(one.right_answer(), one.decimals))
                      .right);
            CHECK_FALSE(AnswerJudge(quiz.questions, {}).judge(one, "").answer.has_value());
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

TEST_CASE("each kind of question comes in turn, and no more than one in five asks for a shape") {
    const Trace trace = trace_of({"causal"});
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        for (const std::size_t count : {1U, 4U, 5U, 10U, 1000U}) {
            Quiz quiz = quiz_of(trace, seed);
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
            CHECK((count < 10 || kinds.size() == 8));
        }
    }
    Trace weights = trace_of({"causal"});  // no other question is possible
    const std::array<std::string, 1> only{"W_query"};
    weights.stages.front().show_only(only);
    Quiz quiz = quiz_of(weights);
    select_questions(quiz, 10, 1);
    CHECK(quiz.questions.size() == 1);
}

TEST_CASE("a hint is the line that computes the cell, the formula, or a sentence, and never the answer") {
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

TEST_CASE("masks, roots, shapes and dropout are asked about, and a known mistake is named") {
    const Trace trace = trace_of({"causal"});
    const Quiz quiz = quiz_of(trace);
    const auto mistake = [&](const QuizQuestion& one, std::string_view typed) {
        const Verdict verdict = AnswerJudge(quiz.questions, {}).judge(one, typed);
        CHECK_FALSE(verdict.right);
        return verdict.mistakes.empty() ? "" : std::string(verdict.mistakes.front().id);
    };
    const QuizQuestion& hidden = question(quiz, "numbers of masked are -inf");
    CHECK(answer_text(hidden.right_answer(), 4) == "15");
    const QuizQuestion& root = question(quiz, "question mark");
    CHECK(answer_text(root.right_answer(), 4) == "2");
    CHECK(has(root.shown, "/ ?**0.5"));
    CHECK(mistake(root, "3") == "scaled-by-d-in");
    CHECK(mistake(root, "4") == "scaled-by-d-k");
    CHECK(mistake(root, "1") == "no-scaling");
    const Trace in_numpy = trace_of({"numpy"});
    const Quiz numpy_quiz = quiz_of(in_numpy);
    CHECK(answer_text(question(numpy_quiz, "What is masked[").right_answer(), 4) == "-inf");
    const QuizQuestion& masked = question(quiz, "What is masked[");
    CHECK(answer_text(masked.right_answer(), 4) == "-inf");
    CHECK(mistake(masked, "0") == "masked-with-zero");
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

TEST_CASE("questions ask why, and the right reason is that of the cell or row") {
    const Trace trace = trace_of({"causal", "sliding-window"});
    std::set<std::string> reasons;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Quiz quiz = quiz_of(trace, seed);
        for (const QuizQuestion& one : quiz.questions) {
            if (!one.kind.starts_with("why")) {
                continue;
            }
            const std::string number = answer_text(one.right_answer(), 0) + " = ";
            const std::string reason = one.text.substr(one.text.find(number) + number.size());
            reasons.insert(reason.substr(0, reason.find_first_of(";.")));
            const char row = one.text[one.text.find('[') + 1];
            if (one.kind == "why_scaled") {
                const bool sees_one = row == '0' && has(one.text, "attn_weights_causal");
                CHECK((one.right->stage->name != "causal" ||
                       reason.starts_with(sees_one ? "it stays the same" : "it grows")));
            } else {
                const char column = one.text[one.text.rfind('[') + 1];
                CHECK(reason.starts_with(column > row ? "its key comes after" : "its key lies before"));
            }
        }
    }
    CHECK(reasons.size() == 4);
}
