// Diagnoses of special cases: summaries, other sizes, the user's own weights, and numbers that match nothing.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "diagnosed.hpp"
#include "tensor/layout.hpp"
#include "tensor/random.hpp"
#include "weights/weights.hpp"

using namespace attn;

namespace {

// Returns the tensor with its first number changed.
std::string off(Tensor x) {
    x.values()[0] += 0.25F;
    return tensor_text(x);
}

// A stage whose parameters may be guessed.
Candidate nothing_given(std::string_view stage) {
    return {find_stage(stage), find_stage(stage)->defaults};
}

// Returns random weights, as the stages `trainable` and `linear` name them.
WeightSource own_weights(const std::string& suffix, const Shape& shape) {
    Generator generator(8);
    TensorMap tensors;
    for (const std::string name : {"W_query", "W_key", "W_value"}) {
        tensors.emplace(name + suffix, rand(generator, shape));
    }
    return weights_in(std::make_shared<TensorFile>("own.json", std::move(tensors)));
}

}  // namespace

TEST_CASE("a summary is recognised, right and wrong") {
    const auto summary = [](const StageTrace& trace, std::string_view step) {
        return diagnosed(tensor_text(step_value(trace, step), {}, {.threshold = 5, .edge_items = 2}));
    };
    CHECK(summary(walk_defaults("causal"), "attn_scores").is_right());
    CHECK(mistakes_of(summary(walk_mistaken("causal", {"softmax-wrong-axis"}), "attn_weights_causal")) ==
          Ids{"softmax-wrong-axis"});
    // No step has this shape, so no step can be the nearest.
    const Diagnosis nothing = diagnosed("tensor([[[1., ..., 2.]], [[3., ..., 4.]]])");
    CHECK(nothing.matches.empty());
    CHECK_FALSE(nothing.nearest);
}

TEST_CASE("the step that is meant is the nearest, and no other") {
    const std::string queries = off(step_value(walk_defaults("causal"), "queries"));
    const Diagnosis meant = diagnosed(queries, "causal", {.as = "keys"});
    REQUIRE(meant.nearest);
    CHECK(meant.nearest->step == "keys");
    CHECK(diagnosed(queries).nearest->step == "queries");
    CHECK_FALSE(diagnosed("tensor(123.5)", "causal", {.as = "keys"}).nearest);
    CHECK(
        diagnosed("tensor([[1., 2., 3., 4.]])", nothing_given("causal"), {.as = "W_query"}).matches.empty());
}

TEST_CASE("a step is near if half of its numbers agree, not counting zeros and ones") {
    Tensor half = step_value(walk_defaults("causal"), "masked_simple_norm");
    for (const std::size_t row : {1U, 2U, 4U}) {  // 10 of the 20 numbers
        for (float& weight : half.values().subspan(6 * row, row + 1)) {
            weight += 0.25F;
        }
    }
    CHECK(diagnosed(tensor_text(half)).nearest->is_near());
    half.values().back() += 0.25F;
    CHECK_FALSE(diagnosed(tensor_text(half)).nearest->is_near());
}

TEST_CASE("widths and batches are guessed from what is pasted, within reason") {
    const Candidate three = candidate("multi-head", [](Parameters& p) { p.batch = 3; });
    const std::string printed = printed_step(walk(three), "context_vec");
    const Diagnosis found = diagnosed(printed, nothing_given("multi-head"));
    REQUIRE(found.is_right());
    CHECK(found.matches.front().parameters.batch == 3);
    CHECK_FALSE(diagnosed(printed, "multi-head").is_right());
    const std::string wide = tensor_text(full({1, 301}, 0.5F), {}, {.threshold = 301});
    CHECK_FALSE(diagnosed(wide, nothing_given("multi-head")).nearest);
    CHECK_FALSE(diagnosed("tensor([[[1., 2.]], ..., [[3., 4.]]])", nothing_given("multi-head")).nearest);
}

TEST_CASE("with a bias, inputs taken for values are recognised") {
    const Candidate causal = candidate("causal", [](Parameters& p) { p.qkv_bias = true; });
    const StageTrace wrong = walk_mistaken(*causal.stage, {"inputs-for-values"}, causal.parameters);
    CHECK(mistakes_of(diagnosed(printed_step(wrong, "context_vec"), causal)) == Ids{"inputs-for-values"});
}

TEST_CASE("with weights of one's own, mistakes are made with those") {
    const Candidate trainable = nothing_given("trainable");
    const Inputs inputs{.weights = own_weights("", {3, 2})};
    const StageTrace wrong = walk_mistaken(*trainable.stage, {"no-scaling"}, trainable.parameters, inputs);
    CHECK(mistakes_of(diagnosed(printed_step(wrong, "attn_weights_2"), trainable, {inputs})) ==
          Ids{"no-scaling"});
    const std::string keys = off(step_value(wrong, "keys"));
    CHECK(diagnosed(keys, trainable, {inputs}).nearest->step == "keys");
    const Inputs layers{.weights = own_weights(".weight", {2, 3})};
    CHECK(diagnosed(keys, nothing_given("linear"), {layers}).matches.empty());
}

TEST_CASE("seeds are searched where there are any, for a shape that can be") {
    CHECK(
        diagnosed("tensor([[9., 8., 7.], [6., 5., 4.]])", nothing_given("simplified"), {.search_seeds = true})
            .matches.empty());
    CHECK_FALSE(diagnosed("tensor([[9., 8.], [6., 5.]])", "causal", {.search_seeds = true}).nearest);
}

TEST_CASE("a mistake that is not known has no name") {
    CHECK(find_mistake("softmax-wrong-axes") == nullptr);
}
