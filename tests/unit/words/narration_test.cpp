// The sentences that apply to a run.
#include "words/narration.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "mistaken.hpp"
#include "notebook/ops.hpp"
#include "stages/attention_steps.hpp"
#include "texts.hpp"

using namespace attn;

namespace {

std::string note(const StageTrace& trace, std::string_view step, std::string_view off = {},
                 std::string_view language = "en") {
    return Narration(language, trace.stage->name).note({trace, trace.find(step).value(), off});
}

// Attention without a mask. A function of the scores stands between them and softmax, so that softmax does
// not cancel a key bias.
const Stage unmasked_stage{
    .name = "causal",  // its file has no texts of these gradients
    .settings = {"lesson", "weights", "seed", "d_out", "qkv_bias", "backward", "loss"},
    .defaults = {.qkv_bias = true, .backward = true},
    .walk =
        [](Notebook& nb, const Run& run) {
            const Var inputs = inputs_step(nb, run);
            const auto [queries, keys, values] =
                projected(inputs, query_key_value(inputs, run, Role::line), Role::line);
            const Var scores = nb.step(attn_scores_name, scores_of(queries, keys));
            nb.step(context_vec_name, matmul(nb.step(attn_weights_name, softmax(exp(scores), -1)), values));
        },
};

}  // namespace

TEST_CASE("a sentence is said where its facts hold") {
    const StageTrace trace = walk_causal();
    CHECK(
        note(trace, "attn_weights_causal") ==
        "These are the weights of masked_simple_norm up to rounding, in fewer steps. Row 0 can only look at "
        "itself, so its only "
        "weight is 1. Row 1 gives token 0 a weight of 0.5517 and itself a weight of 0.4483.");
    CHECK(note(trace, "attn_weights_causal", "mask") ==
          "These are the weights of masked_simple_norm up to rounding, in fewer steps.");
    CHECK(note(trace, "masked", "mask") ==
          "With the mask off, the scores stay the same, and later tokens get weight.");
    CHECK(note(trace, "attn_weights_causal", "", "zh") ==
          "权重与 masked_simple_norm 相同（只差舍入误差），步骤却更少。第 0 行只能看自己，所以它唯一的权重是 "
          "1。第 1 "
          "行把注意力分给词元 0（0.5517）和自己（0.4483）。");
}

TEST_CASE(
    "a note quotes numbers of its run, and leaves out a sentence that quotes a number it does not have") {
    const StageTrace trace = walk_causal();
    CHECK(has(note(trace, "attn_weights"), "Row 0 puts 1 − 0.1921 = 81 % of its attention on later tokens"));
    CHECK(has(note(trace, "W_query"), "uniform in ±1/√d_in = ±0.5774;"));
    Lesson one = journey();
    one.tokens.resize(1);
    one.embeddings = Tensor({1, 3}, {0.43F, 0.15F, 0.89F});
    CHECK(
        note(walk_causal(one), "context_vec") ==
        "Each row is the mean of the values it may see, weighted by its attention: row 0 is the value of the "
        "first token itself. Evaluation uses this result, without dropout.");
}

TEST_CASE("with the mask off no text of the causal stage speaks of what it hides") {
    const StageTrace trace = walk_mistaken("causal", {"not-masked"});
    CHECK(has(note(trace, "context_vec"), "row 0 is the value of the first token itself"));
    CHECK(note(trace, "context_vec", "mask") ==
          "Each row is the mean of all values, weighted by its attention.");
    const Narration words("en", "causal");
    for (const std::size_t step : trace.steps) {
        const std::string text = words.title({trace, step, "mask"}) + words.note({trace, step, "mask"});
        for (const std::string_view told :
             {"set to 0", "no longer sum to 1", "-inf", "can only look at itself"}) {
            CHECK_MESSAGE(!has(text, told), text);
        }
    }
}

TEST_CASE(
    "names that differ in a number share their words, and a step without words is a mistake of the program") {
    const Stage& stage = *find_stage("simplified");
    StageTrace first = walk(stage, journey(), stage.defaults, {0});
    CHECK(note(first, "attn_scores_1") == note(walk(stage, journey(), stage.defaults, {3}), "attn_scores_4"));
    const Var step = first.notebook.step("no_such_step", first.notebook.given(Tensor()));
    CHECK_THROWS_WITH_AS(Narration("en", "simplified").note({first, step.id}),
                         "the narration has no words for step no_such_step", std::logic_error);
}

TEST_CASE("where the reader brings weights no note tells of their being drawn") {
    std::size_t stages = 0;
    for (const Stage* stage : catalogue()) {
        if (!uses(*stage, "weights")) {
            continue;
        }
        ++stages;
        Parameters parameters = stage->defaults;
        parameters.qkv_bias = uses(*stage, "qkv_bias");
        StageTrace trace = walk(*stage, journey(), parameters);
        trace.own_weights = true;
        for (const std::size_t step : trace.steps) {
            const std::string& name = trace.node(step).name;
            if (name == "x" || has(name, "dropped") || name == "dropout_example") {
                continue;  // an input and masks, which are always drawn
            }
            const std::string text = note(trace, name);
            for (const std::string_view told : {"Drawn", "are drawn", "Linear draws", "after the same seed",
                                                "the seed alone", "Uniform between", "torch.rand"}) {
                CHECK_MESSAGE(!has(text, told), std::string(stage->name), ": ", text);
            }
        }
    }
    CHECK(stages >= 8);
}

TEST_CASE(
    "the shared texts of gradients describe a mask or a bias that softmax cancels only if there is one") {
    const StageTrace unmasked = walk(unmasked_stage, journey(), unmasked_stage.defaults);
    CHECK(Narration("en", "causal").title({unmasked, unmasked.find("attn_scores_grad").value()}) ==
          "The gradient of the scores");
    CHECK(note(unmasked, "attn_scores_grad") == "How the loss changes with each score.");
    CHECK(note(unmasked, "attn_weights_grad") ==
          "Each number says how much the loss grows when query i pays more attention to token j.");
    CHECK(note(unmasked, "b_key_grad") == "How the loss changes with each number of b_key.");
    const Stage& masked_stage = *find_stage("sliding-window");
    Parameters parameters = masked_stage.defaults;
    parameters.backward = parameters.qkv_bias = true;
    const StageTrace masked = walk(masked_stage, journey(), parameters);
    CHECK(Narration("en", "sliding-window").title({masked, masked.find("attn_scores_grad").value()}) ==
          "Backward through the mask");
    CHECK(has(note(masked, "attn_weights_grad"), "A weight that the mask made 0"));
    CHECK(has(note(masked, "b_key_grad"), "softmax cancels it"));
}
