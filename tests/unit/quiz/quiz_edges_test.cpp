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

using attn::Answer;
using attn::Count;
using attn::Index;
using attn::question;
using attn::quiz_of;
using attn::QuizQuestion;
using attn::Shape;
using attn::StageTrace;
using attn::Tensor;
using attn::Trace;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

attn::WeightSource weights_of(const StageTrace& walked, std::initializer_list<std::string> names) {
    attn::TensorMap tensors;
    for (const std::string& name : names) {
        tensors.emplace(name + ".weight", attn::step_value(walked, name));
    }
    return attn::weights_in(std::make_shared<attn::TensorFile>("own.json", std::move(tensors)));
}

// A stage with a single step of that value.
StageTrace trace_of(const Tensor& value) {
    StageTrace trace = attn::walk(*attn::find_stage("simplified"), attn::journey(), {});
    trace.steps = {trace.notebook.step("x", trace.notebook.given(value)).id};
    return trace;
}

}  // namespace

TEST_CASE("weights of one's own are asked about, without the exercises that need others, and judged by") {
    const attn::Lesson lesson = attn::journey();
    const attn::Stage& causal = *attn::find_stage("causal");
    const StageTrace drawn = attn::walk(causal, lesson, causal.defaults);
    const attn::Inputs inputs{std::nullopt, weights_of(drawn, {"W_query", "W_key", "W_value"})};
    attn::Parameters parameters = causal.defaults;
    parameters.seed = 99;  // no seed gives these weights
    Trace trace{lesson, {}};
    trace.stages.push_back(attn::walk(causal, lesson, parameters, inputs));
    REQUIRE(trace.stages.front().own_weights);
    const attn::Quiz quiz = quiz_of(trace);
    const attn::Verdict verdict = attn::judge(question(quiz, "question mark"), "1", inputs);
    REQUIRE_FALSE(verdict.mistakes.empty());
    CHECK(verdict.mistakes.front().id == "no-scaling");
    const QuizQuestion& weight = question(quiz, "What is attn_weights_causal[");
    const attn::Edit axis = attn::find_mistake("softmax-wrong-axis")->variants(parameters).front().edit;
    const StageTrace wrong = attn::walk_edited(causal, lesson, parameters, inputs, {axis});
    const std::string typed = attn::answer_text(*weight.answer(wrong, weight.step, false), weight.decimals);
    const attn::Verdict told = attn::judge(weight, typed, inputs);
    REQUIRE_FALSE(told.mistakes.empty());
    CHECK(told.mistakes.front().id == "softmax-wrong-axis");

    const attn::Stage& wrapper = *attn::find_stage("multi-head-wrapper");
    const StageTrace heads = attn::walk(wrapper, lesson, wrapper.defaults);
    CHECK(std::ranges::any_of(quiz_of({lesson, {heads}}).questions, &QuizQuestion::is_exercise));
    StageTrace own = heads;
    own.own_weights = true;
    CHECK(std::ranges::none_of(quiz_of({lesson, {own}}).questions, &QuizQuestion::is_exercise));
    const attn::Stage& multi_head = *attn::find_stage("multi-head");
    own = attn::walk(multi_head, lesson, multi_head.defaults);
    own.own_weights = true;
    CHECK(std::ranges::none_of(quiz_of({lesson, {own}}).questions, &QuizQuestion::is_exercise));
}

TEST_CASE("a number cut too early is no mistake, and a vector cannot have been transposed") {
    Trace trace{attn::journey(), {}};
    trace.stages.push_back(attn::walk(*attn::find_stage("simplified"), trace.lesson, {}));
    const attn::Quiz quiz = quiz_of(trace);
    const QuizQuestion& weight = question(quiz, "What is attn_weights_2[");
    const std::string right = attn::answer_text(weight.right_answer(), weight.decimals);
    REQUIRE(right.size() == 6);
    const attn::Verdict cut = attn::judge(weight, right.substr(0, 5), {});
    CHECK(cut.answer.has_value());
    CHECK((cut.right || cut.too_short));
    const attn::Verdict shorter = attn::judge(weight, right.substr(0, 4), {});
    CHECK_FALSE(shorter.right);
    CHECK(shorter.too_short);
    CHECK(shorter.mistakes.empty());
    CHECK(attn::judge(weight, "77.1234", {}).mistakes.empty());
    CHECK(attn::judge(question(quiz, "What is the shape of attn_scores_2?"), "(7, 7)", {}).mistakes.empty());
}

TEST_CASE("answers that are no number of a cell") {
    CHECK_FALSE(attn::read_answer("True", 1.0F));
    CHECK_FALSE(attn::read_answer("0.5 0.5", 1.0F));
    CHECK(attn::agrees(*attn::read_answer("nan", not_a_number), not_a_number, 4));
    CHECK_FALSE(attn::agrees(*attn::read_answer("0.5", not_a_number), not_a_number, 4));
    CHECK_FALSE(attn::agrees(*attn::read_answer("nan", 0.5F), 0.5F, 4));
    CHECK_FALSE(attn::too_short(*attn::read_answer("0.5", inf), inf, 4));
    CHECK_FALSE(attn::too_short(*attn::read_answer("0.5", Count{1}), Count{1}, 4));
    CHECK(attn::answer_text(not_a_number, 4) == "nan");
    CHECK(attn::answer_text(inf, 4) == "inf");
    CHECK(attn::answer_text(-inf, 4) == "-inf");
}

TEST_CASE("a cell or a count that a wrong walk does not have is no answer") {
    const StageTrace wide = trace_of(Tensor({2, 3}, {0, 1, 0.5F, -1, 2, 3}));
    const auto whole = [&](const Index& cell, bool transposed = false) {
        return attn::count_in(cell)(wide, wide.steps[0], transposed);
    };
    CHECK(*whole({0, 1}) == Answer(Count{1}));
    CHECK_FALSE(whole({0, 2}));     // a fraction
    CHECK_FALSE(whole({1, 0}));     // below zero
    CHECK_FALSE(whole({2, 0}));     // no such row
    CHECK_FALSE(whole({0, 0, 1}));  // no such axis
    CHECK(*whole({1, 0}, true) == Answer(Count{1}));
    CHECK_FALSE(whole({0, 2}, true));
    CHECK(*attn::shape_of_step()(wide, wide.steps[0], true) == Answer(Shape{3, 2}));
    const StageTrace row = trace_of(Tensor({2}, {4, 5}));
    CHECK(*attn::number_in({1})(row, row.steps[0], true) == Answer(5.0F));
    CHECK(*attn::shape_of_step()(row, row.steps[0], true) == Answer(Shape{2}));
}
