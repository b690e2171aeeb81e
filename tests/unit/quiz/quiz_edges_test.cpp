// The quiz with the user's own weights, and with unusual answers and questions.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "mistaken.hpp"
#include "quiz/judging.hpp"
#include "quiz_of.hpp"
#include "special.hpp"
#include "weights/weights.hpp"

using namespace attn;

TEST_CASE("weights of one's own are asked about, without the exercises that need others, and judged by") {
    const Stage& causal = *find_stage("causal");
    TensorMap drawn;
    for (const std::string name : {"W_query", "W_key", "W_value"}) {
        drawn.emplace(name + ".weight", step_value(walk_causal(), name));
    }
    const Inputs inputs{.weights = weights_in(std::make_shared<TensorFile>("own.json", std::move(drawn)))};
    Parameters parameters = causal.defaults;
    parameters.seed = 99;  // no seed gives these weights
    Trace trace{journey(), {}};
    trace.stages.push_back(walk(causal, trace.lesson, parameters, inputs));
    REQUIRE(trace.stages.front().own_weights);
    const Quiz quiz = quiz_of(trace);
    const QuizQuestion& weight = question(quiz, "What is attn_weights_causal[");
    const StageTrace wrong = walk_mistaken(causal, {"softmax-wrong-axis"}, parameters, inputs);
    const std::string typed =
        answer_text(*weight.answer(step_value(wrong, "attn_weights_causal")), weight.decimals);
    const Verdict told = AnswerJudge(quiz.questions, inputs).judge(weight, typed);
    REQUIRE_FALSE(told.mistakes.empty());
    CHECK(told.mistakes.front().id == "softmax-wrong-axis");
    CHECK(told.mistakes.front().lines.line.ends_with("dim=0)"));

    for (const std::string_view name : {"multi-head-wrapper", "multi-head"}) {
        StageTrace heads = walk_defaults(name);
        CHECK(std::ranges::any_of(quiz_of({journey(), {heads}}).questions, &QuizQuestion::is_exercise));
        heads.own_weights = true;
        CHECK(std::ranges::none_of(quiz_of({journey(), {heads}}).questions, &QuizQuestion::is_exercise));
    }
}

TEST_CASE("a number that no mistake gives names none, and a vector cannot have been transposed") {
    const Trace trace = trace_of({"simplified"});
    const Quiz quiz = quiz_of(trace);
    CHECK(AnswerJudge(quiz.questions, {})
              .judge(question(quiz, "What is attn_weights_2["), "77.1234")
              .mistakes.empty());
    CHECK(AnswerJudge(quiz.questions, {})
              .judge(question(quiz, "What is the shape of attn_scores_2?"), "(7, 7)")
              .mistakes.empty());
}

TEST_CASE("answers that are no number of a cell") {
    CHECK_FALSE(read_answer("True", 1.0F));
    CHECK_FALSE(read_answer("0.5 0.5", 1.0F));
    CHECK(agrees(*read_answer("nan", not_a_number), not_a_number, 4));
    CHECK_FALSE(agrees(*read_answer("0.5", not_a_number), not_a_number, 4));
    CHECK_FALSE(agrees(*read_answer("nan", 0.5F), 0.5F, 4));
    CHECK_FALSE(too_short(*read_answer("0.5", inf), inf, 4));
    CHECK_FALSE(too_short(*read_answer("0.5", Count{1}), Count{1}, 4));
    CHECK(answer_text(not_a_number, 4) == "nan");
    CHECK(answer_text(inf, 4) == "inf");
    CHECK(answer_text(-inf, 4) == "-inf");
}

TEST_CASE("a cell or a count that a wrong walk does not have is no answer") {
    const Tensor wide({2, 3}, {0, 1, 0.5F, -1, 2, 3});
    const auto whole = [&](const Index& cell, bool turned = false) {
        return count_in(cell)(turned ? transposed(wide) : wide);
    };
    CHECK(*whole({0, 1}) == Answer(Count{1}));
    CHECK_FALSE(whole({0, 2}));     // a fraction
    CHECK_FALSE(whole({1, 0}));     // below zero
    CHECK_FALSE(whole({2, 0}));     // no such row
    CHECK_FALSE(whole({0, 0, 1}));  // no such axis
    CHECK_FALSE(count_in({0})(Tensor({1}, {inf})));
    CHECK(*whole({1, 0}, true) == Answer(Count{1}));
    CHECK_FALSE(whole({0, 2}, true));
    CHECK(*shape_of_step()(transposed(wide)) == Answer(Shape{3, 2}));
    CHECK(identical(transposed(Tensor({2}, {4, 5})), Tensor({2}, {4, 5})));
}
