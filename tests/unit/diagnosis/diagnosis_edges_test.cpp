// Diagnoses of special cases: summaries, other sizes, the user's own weights, and numbers that match nothing.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "diagnosis/diagnosis.hpp"
#include "diagnosis/mistakes/mistakes.hpp"
#include "printed/reader.hpp"
#include "tensor/random.hpp"
#include "tensor/tensor_text.hpp"
#include "walked.hpp"
#include "weights/weights.hpp"

using attn::Diagnosis;
using attn::Parameters;
using attn::Stage;
using attn::StageTrace;
using attn::Tensor;

namespace {

const Stage& stage(std::string_view name) {
    return *attn::find_stage(name);
}

struct Asked {
    attn::Inputs inputs{};
    std::string as{};
    std::vector<std::string_view> given{};
    bool search_seeds = false;
};

Diagnosis diagnosed(const std::string& text, const attn::Lesson& lesson, const Stage& of,
                    const Parameters& parameters, const Asked& asked = {}) {
    const attn::Question question{
        lesson, asked.inputs, {{&of, parameters, asked.given}}, asked.as, asked.search_seeds};
    return attn::diagnose(attn::read_tensors(text, "test").tensors, question).at(0);
}

Diagnosis diagnosed(const std::string& text, const Stage& of, const Asked& asked = {}) {
    return diagnosed(text, attn::journey(), of, of.defaults, asked);
}

attn::Edit edit(std::string_view id, const Parameters& right) {
    return attn::find_mistake(id)->variants(right).front().edit;
}

using Ids = std::vector<std::string_view>;

}  // namespace

TEST_CASE("a summary is recognised, right and wrong") {
    const Stage& causal = stage("causal");
    const attn::Lesson lesson = attn::journey();
    const StageTrace right = attn::walk(causal, lesson, causal.defaults);
    const attn::PrintOptions summary{.threshold = 5, .edge_items = 2};
    CHECK(diagnosed(tensor_text(attn::step_value(right, "attn_scores"), {}, summary), causal).is_right());
    const StageTrace wrong = attn::walk_edited(causal, lesson, right.parameters, {},
                                               {edit("softmax-wrong-axis", right.parameters)});
    const Diagnosis told =
        diagnosed(tensor_text(attn::step_value(wrong, "attn_weights_causal"), {}, summary), causal);
    REQUIRE_FALSE(told.matches.empty());
    CHECK(told.matches.front().mistakes == Ids{"softmax-wrong-axis"});
    // No step has this shape, so no step can be the nearest.
    const Diagnosis nothing = diagnosed("tensor([[[1., ..., 2.]], [[3., ..., 4.]]])", causal);
    CHECK(nothing.matches.empty());
    CHECK_FALSE(nothing.nearest);
}

TEST_CASE("the step that is meant is the nearest, and no other") {
    const Stage& causal = stage("causal");
    Tensor off = attn::step_value(attn::walk(causal, attn::journey(), causal.defaults), "queries");
    off.values()[0] += 0.25F;
    const Diagnosis meant = diagnosed(tensor_text(off), causal, {.as = "keys"});
    REQUIRE(meant.nearest);
    CHECK(meant.nearest->step == "keys");
    CHECK(diagnosed(tensor_text(off), causal).nearest->step == "queries");
    CHECK_FALSE(diagnosed("tensor(123.5)", causal, {.as = "keys"}).nearest);
    const Diagnosis sized = diagnosed("tensor([[1., 2., 3., 4.]])", causal, {.as = "W_query"});
    CHECK(sized.matches.empty());
}

TEST_CASE("widths and batches are guessed from what is pasted, within reason") {
    const Stage& multi_head = stage("multi-head");
    const attn::Lesson lesson = attn::journey();
    Parameters parameters = multi_head.defaults;
    parameters.batch = 3;
    const StageTrace three = attn::walk(multi_head, lesson, parameters);
    const std::string printed = tensor_text(attn::step_value(three, "context_vec"));
    const Diagnosis found = diagnosed(printed, multi_head);
    REQUIRE(found.is_right());
    CHECK(found.matches.front().parameters.batch == 3);
    CHECK_FALSE(diagnosed(printed, multi_head, {.given = attn::all_parameter_names()}).is_right());
    std::string wide = "tensor([[";
    for (int i = 0; i < 300; ++i) {
        wide += "0.5, ";
    }
    CHECK_FALSE(diagnosed(wide + "0.5]])", multi_head).nearest);
    CHECK_FALSE(diagnosed("tensor([[[1., 2.]], ..., [[3., 4.]]])", multi_head).nearest);
}

TEST_CASE("with a bias, inputs taken for values are recognised") {
    const Stage& causal = stage("causal");
    const attn::Lesson lesson = attn::journey();
    Parameters parameters = causal.defaults;
    parameters.qkv_bias = true;
    const Parameters right = attn::walk(causal, lesson, parameters).parameters;
    const StageTrace wrong = attn::walk_edited(causal, lesson, right, {}, {edit("inputs-for-values", right)});
    const Diagnosis told =
        diagnosed(tensor_text(attn::step_value(wrong, "context_vec")), lesson, causal, parameters);
    REQUIRE_FALSE(told.matches.empty());
    CHECK(told.matches.front().mistakes == Ids{"inputs-for-values"});
}

TEST_CASE("with weights of one's own, mistakes are made with those") {
    const Stage& trainable = stage("trainable");
    const attn::Lesson lesson = attn::journey();
    attn::Generator generator(8);
    attn::TensorMap tensors;
    for (const std::string name : {"W_query", "W_key", "W_value"}) {
        tensors.emplace(name, attn::rand(generator, attn::Shape{3, 2}));
    }
    const attn::Inputs inputs{
        std::nullopt, attn::weights_in(std::make_shared<attn::TensorFile>("own.json", std::move(tensors)))};
    const StageTrace right = attn::walk(trainable, lesson, trainable.defaults, inputs);
    const StageTrace wrong = attn::walk_edited(trainable, lesson, right.parameters, inputs,
                                               {edit("no-scaling", right.parameters)});
    const Diagnosis told =
        diagnosed(tensor_text(attn::step_value(wrong, "attn_weights_2")), trainable, {.inputs = inputs});
    REQUIRE_FALSE(told.matches.empty());
    CHECK(told.matches.front().mistakes == Ids{"no-scaling"});
    Tensor off = attn::step_value(right, "keys");
    off.values()[0] += 0.25F;
    CHECK(diagnosed(tensor_text(off), trainable, {.inputs = inputs}).nearest->step == "keys");
    const Stage& linear = stage("linear");
    attn::TensorMap layers;
    for (const std::string name : {"W_query", "W_key", "W_value"}) {
        layers.emplace(name + ".weight", attn::rand(generator, attn::Shape{2, 3}));
    }
    const auto own = attn::weights_in(std::make_shared<attn::TensorFile>("own.json", std::move(layers)));
    CHECK(diagnosed(tensor_text(off), linear, {.inputs = {std::nullopt, own}}).matches.empty());
}

TEST_CASE("seeds are searched where there are any, for a shape that can be") {
    const std::string off = "tensor([[9., 8., 7.], [6., 5., 4.]])";
    CHECK(diagnosed(off, stage("simplified"), {.search_seeds = true}).matches.empty());
    const std::string square = "tensor([[9., 8.], [6., 5.]])";
    CHECK_FALSE(
        diagnosed(square, stage("causal"), {.given = attn::all_parameter_names(), .search_seeds = true})
            .nearest);
}

TEST_CASE("a search of many tensors ends when its time is over, and says what it left out") {
    const Stage& causal = stage("causal");
    attn::Generator generator(9);
    std::string text;
    for (int i = 0; i < 2000; ++i) {
        text += tensor_text(attn::rand(generator, attn::Shape{3})) + "\n\n";
    }
    const std::vector<attn::PrintedTensor> tensors = attn::read_tensors(text, "test").tensors;
    REQUIRE(tensors.size() == 2000);
    constexpr double seconds = 0.01;
    const attn::Lesson lesson = attn::journey();
    const std::vector<Diagnosis> found =
        attn::diagnose(tensors, {lesson, {}, {{&causal, causal.defaults}}, "", false, seconds});
    CHECK(std::ranges::any_of(found, [](const Diagnosis& one) { return !one.not_tried.empty(); }));
    for (const Diagnosis& one : found) {
        CHECK((one.is_decided() || !one.not_tried.empty()));
    }
}

TEST_CASE("a mistake that is not known has no name") {
    CHECK(attn::find_mistake("softmax-wrong-axes") == nullptr);
}
