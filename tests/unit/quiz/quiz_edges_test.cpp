// The quiz with the user's own weights, and with unusual answers and questions.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "diagnosis/mistakes/mistakes.hpp"
#include "quiz/judging.hpp"
#include "quiz_of.hpp"
#include "walked.hpp"
#include "weights/weights.hpp"

using namespace attn;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

WeightSource weights_of(const StageTrace& walked, std::initializer_list<std::string> names) {
    TensorMap tensors;
    for (const std::string& name : names) {
        tensors.emplace(name + ".weight", step_value(walked, name));
    }
    return weights_in(std::make_shared<TensorFile>("own.json", std::move(tensors)));
}

// A stage with a single step of that value.
StageTrace trace_of(const Tensor& value) {
    StageTrace trace = walk(*find_stage("simplified"), journey(), {});
    trace.steps = {trace.notebook.step("x", trace.notebook.given(value)).id};
    return trace;
}

}  // namespace

TEST_CASE("weights of one's own are asked about, without the exercises that need others, and judged by") {
    const Lesson lesson = journey();
    const Stage& causal = *find_stage("causal");
    const StageTrace drawn = walk(causal, lesson, causal.defaults);
    const Inputs inputs{std::nullopt, weights_of(drawn, {"W_query", "W_key", "W_value"})};
    Parameters parameters = causal.defaults;
    parameters.seed = 99;  // no seed gives these weights
    Trace trace{lesson, {}};
    trace.stages.push_back(walk(causal, lesson, parameters, inputs));
    REQUIRE(trace.stages.front().own_weights);
    const Quiz quiz = quiz_of(trace);
    const Verdict verdict = judge(question(quiz, "question mark"), "1", inputs);
    REQUIRE_FALSE(verdict.mistakes.empty());
    CHECK(verdict.mistakes.front().id == "no-scaling");
    const QuizQuestion& weight = question(quiz, "What is attn_weights_causal[");
    const Edit axis = find_mistake("softmax-wrong-axis")->variants(parameters).front().edit;
    const StageTrace wrong = walk_edited(causal, lesson, parameters, inputs, {axis});
    const std::string typed = answer_text(*weight.answer(wrong, weight.step, false), weight.decimals);
    const Verdict told = judge(weight, typed, inputs);
    REQUIRE_FALSE(told.mistakes.empty());
    CHECK(told.mistakes.front().id == "softmax-wrong-axis");
    CHECK(told.mistakes.front().lines.line.ends_with("dim=0)"));

    const Stage& wrapper = *find_stage("multi-head-wrapper");
    const StageTrace heads = walk(wrapper, lesson, wrapper.defaults);
    CHECK(std::ranges::any_of(quiz_of({lesson, {heads}}).questions, &QuizQuestion::is_exercise));
    StageTrace own = heads;
    own.own_weights = true;
    CHECK(std::ranges::none_of(quiz_of({lesson, {own}}).questions, &QuizQuestion::is_exercise));
    const Stage& multi_head = *find_stage("multi-head");
    own = walk(multi_head, lesson, multi_head.defaults);
    own.own_weights = true;
    CHECK(std::ranges::none_of(quiz_of({lesson, {own}}).questions, &QuizQuestion::is_exercise));
}

TEST_CASE("a number cut too early is no mistake, and a vector cannot have been transposed") {
    Trace trace{journey(), {}};
    trace.stages.push_back(walk(*find_stage("simplified"), trace.lesson, {}));
    const Quiz quiz = quiz_of(trace);
    const QuizQuestion& weight = question(quiz, "What is attn_weights_2[");
    const std::string right = answer_text(weight.right_answer(), weight.decimals);
    REQUIRE(right.size() == 6);
    const Verdict cut = judge(weight, right.substr(0, 5), {});
    CHECK(cut.answer.has_value());
    CHECK((cut.right || cut.too_short));
    const Verdict shorter = judge(weight, right.substr(0, 4), {});
    CHECK_FALSE(shorter.right);
    CHECK(shorter.too_short);
    CHECK(shorter.mistakes.empty());
    CHECK(judge(weight, "77.1234", {}).mistakes.empty());
    CHECK(judge(question(quiz, "What is the shape of attn_scores_2?"), "(7, 7)", {}).mistakes.empty());
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
    const StageTrace wide = trace_of(Tensor({2, 3}, {0, 1, 0.5F, -1, 2, 3}));
    const auto whole = [&](const Index& cell, bool transposed = false) {
        return count_in(cell)(wide, wide.steps[0], transposed);
    };
    CHECK(*whole({0, 1}) == Answer(Count{1}));
    CHECK_FALSE(whole({0, 2}));     // a fraction
    CHECK_FALSE(whole({1, 0}));     // below zero
    CHECK_FALSE(whole({2, 0}));     // no such row
    CHECK_FALSE(whole({0, 0, 1}));  // no such axis
    CHECK(*whole({1, 0}, true) == Answer(Count{1}));
    CHECK_FALSE(whole({0, 2}, true));
    CHECK(*shape_of_step()(wide, wide.steps[0], true) == Answer(Shape{3, 2}));
    const StageTrace row = trace_of(Tensor({2}, {4, 5}));
    CHECK(*number_in({1})(row, row.steps[0], true) == Answer(5.0F));
    CHECK(*shape_of_step()(row, row.steps[0], true) == Answer(Shape{2}));
}
