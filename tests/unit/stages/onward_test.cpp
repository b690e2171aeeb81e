// The further topics: each stage changes something in a stage of the documents, and equals it bit for bit
// where nothing is changed. tests/cli/refusals.py tests the errors.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "any_weights.hpp"
#include "tensor/layout.hpp"
#include "walked.hpp"

using namespace attn;

namespace {

StageTrace walked(std::string_view stage, const std::function<void(Parameters&)>& change = {},
                  const Lesson& lesson = journey()) {
    Parameters parameters = find_stage(stage)->defaults;
    if (change) {
        change(parameters);
    }
    return walk(*find_stage(stage), lesson, parameters);
}

Lesson lesson_of(std::size_t tokens, std::size_t width) {
    Random random(7);
    return {std::vector<std::string>(tokens, "token"), drawn(random, {tokens, width}, 2.0F)};
}

}  // namespace

TEST_CASE("each stage has a way back, goes back by itself or says why nothing is trained in it") {
    for (const Stage* stage : catalogue()) {
        CHECK_MESSAGE(uses(*stage, "backward") == stage->why_no_gradients.empty(), std::string(stage->name));
        CHECK(uses(*stage, "backward") <= uses(*stage, "loss"));
    }
}

TEST_CASE("three steps of training give each tensor a name of its own, and the loss falls") {
    const StageTrace trace = walked("training-step");
    std::set<std::string> names;
    for (const Node& node : trace.notebook.nodes()) {
        if (!node.name.empty() && node.call.operation->is_tensor()) {
            CHECK_MESSAGE(names.insert(node.name).second, node.name);
        }
    }
    const Tensor& losses = step_value(trace, "losses");
    for (std::size_t i = 1; i < losses.count(); ++i) {
        CHECK(losses.values()[i] < losses.values()[i - 1]);
    }
}

TEST_CASE("the gradients of the last step are those of the loss") {
    const auto gradient = [](Loss loss) {
        const StageTrace trace = walked("linear", [&](Parameters& p) {
            p.backward = true;
            p.loss = loss;
        });
        return std::pair(step_value(trace, "context_vec_grad").values()[0],
                         step_value(trace, "context_vec").values()[0]);
    };
    CHECK(gradient(Loss::sum).first == 1.0F);
    CHECK(gradient(Loss::mean).first == 1.0F / 12.0F);
    const auto [grad, number] = gradient(Loss::mse);
    CHECK(grad == 1.0F / 12.0F * (2.0F * number));
}

TEST_CASE("a window as wide as the sentence is causal attention, whatever the sentence") {
    for (const std::size_t tokens : {1U, 2U, 9U, 40U}) {
        const Lesson lesson = lesson_of(tokens, 5);
        const StageTrace sliding = walked(
            "sliding-window", [&](Parameters& p) { p.window = tokens; }, lesson);
        const StageTrace causal = walk_causal(lesson);
        CHECK(identical(step_value(sliding, "attn_weights"), step_value(causal, "attn_weights_causal")));
        CHECK(identical(step_value(sliding, "context_vec"), step_value(causal, "context_vec")));
    }
}

TEST_CASE("a window is three tokens wide, or as wide as the sentence") {
    const auto window = [](std::size_t tokens) {
        return walked("sliding-window", {}, lesson_of(tokens, 3)).parameters.window;
    };
    for (const std::size_t tokens : {1U, 2U, 3U, 30U}) {
        CHECK(window(tokens) == std::min<std::size_t>(tokens, 3));
    }
}

TEST_CASE("in a window of two each token weighs itself and the one before it") {
    const StageTrace trace = walked("sliding-window", [](Parameters& p) { p.window = 2; });
    const Tensor& weights = step_value(trace, "attn_weights");
    for (std::size_t i = 0; i < 6; ++i) {
        for (std::size_t j = 0; j < 6; ++j) {
            CHECK((weights.at({i, j}) > 0.0F) == (j <= i && j + 2 > i));
        }
    }
    // A window of one token fewer or more gives the mistake's numbers.
    const StageTrace one = walked("sliding-window", [](Parameters& p) { p.window = 1; });
    const StageTrace three = walked("sliding-window", [](Parameters& p) { p.window = 3; });
    CHECK(identical(step_value(trace, "attn_weights_narrower"), step_value(one, "attn_weights")));
    CHECK(identical(step_value(trace, "attn_weights_wider"), step_value(three, "attn_weights")));
}

TEST_CASE("with as many heads of keys as of queries, grouped queries are multi-head attention") {
    for (const bool bias : {false, true}) {
        const auto change = [&](Parameters& p) {
            p.d_out = 8;
            p.num_heads = p.kv_heads = 4;
            p.qkv_bias = bias;
            p.batch = 2;
        };
        const StageTrace ours = walked("grouped-query", change), theirs = walked("multi-head", change);
        for (const std::string_view step :
             {"queries", "keys", "values", "queries_heads", "keys_heads", "values_heads", "attn_scores",
              "masked", "attn_weights", "context_heads", "context_merged", "context_vec"}) {
            CHECK_MESSAGE(identical(step_value(ours, step), step_value(theirs, step)), step);
        }
    }
}

TEST_CASE("groups share keys in a row, and the other order moves the heads between the first and the last") {
    const StageTrace trace = walked("grouped-query");
    const Tensor& keys = step_value(trace, "keys_heads");
    const Tensor& repeated = step_value(trace, "keys_repeated");
    const Tensor& tiled = step_value(trace, "keys_tiled");
    for (std::size_t head = 0; head < 4; ++head) {
        CHECK(identical(select(repeated, {0, head}), select(keys, {0, head / 2})));
        CHECK(identical(select(tiled, {0, head}), select(keys, {0, head % 2})));
    }
    const Tensor& moved = step_value(trace, "heads_moved");
    CHECK(moved.at({0, 0}) == 0.0F);
    CHECK(moved.at({0, 1}) > 0.001F);
    CHECK(moved.at({0, 2}) > 0.001F);
    CHECK(moved.at({0, 3}) == 0.0F);
}

TEST_CASE("one head of keys for all is what the first head alone makes") {
    const StageTrace trace = walked("grouped-query");
    const Tensor& shared = step_value(trace, "keys_shared");
    for (std::size_t head = 0; head < 4; ++head) {
        CHECK(identical(select(shared, {0, head}), select(step_value(trace, "keys_heads"), {0, 0})));
    }
}

TEST_CASE("token by token, with keys kept, the context vectors are those of the causal stage, bit for bit") {
    for (const std::size_t tokens : {1U, 2U, 7U}) {  // from 8 tokens on, softmax adds rows in lanes
        const Lesson lesson = lesson_of(tokens, 5);
        const StageTrace kept = walked("kv-cache", {}, lesson);
        const StageTrace causal = walk_causal(lesson);
        CHECK(identical(step_value(kept, "context_vec"), step_value(causal, "context_vec")));
        CHECK(identical(step_value(kept, "whole_context"), step_value(causal, "context_vec")));
    }
    const Lesson lesson = lesson_of(20, 5);
    const StageTrace kept = walked("kv-cache", {}, lesson);
    CHECK(identical(slice(step_value(kept, "context_vec"), 0, -1), step_value(kept, "last_row")));
    CHECK(step_value(kept, "cache_keys_20").shape() == Shape{20, 2});
    CHECK(step_value(kept, "rows_agree").values()[0] == 1.0F);
}

TEST_CASE("turned by their positions, one query and one key score the same at the same distance") {
    const StageTrace trace = walked("rotary");
    const Tensor& scores = step_value(trace, "scores_everywhere");
    for (std::size_t i = 1; i < 6; ++i) {
        for (std::size_t j = 1; j < 6; ++j) {
            CHECK(std::fabs(scores.at({i, j}) - scores.at({i - 1, j - 1})) <= 1e-5F);
        }
        CHECK(std::fabs(scores.at({i, 0}) - scores.at({0, 0})) > 0.01F);
    }
    for (const std::string_view agrees :
         {"rotation_agrees", "lengths_agree", "distance_agrees", "last_row_agrees", "reordered_agrees"}) {
        CHECK_MESSAGE(step_value(trace, agrees).values()[0] == 1.0F, agrees);
    }
    CHECK(step_value(trace, "mixed_agrees").values()[0] == 0.0F);
    // Long sentences have large angles, whose rounding errors are larger.
    const StageTrace far = walked("rotary", {}, lesson_of(300, 5));
    CHECK(step_value(far, "distance_agrees").values()[0] == 1.0F);
    CHECK(step_value(far, "mixed_agrees").values()[0] == 0.0F);
}

TEST_CASE("a width of two has one pair, and both pairings turn it") {
    const StageTrace trace = walked("rotary", [](Parameters& p) { p.d_out = 2; });
    CHECK(identical(step_value(trace, "queries_halves"), step_value(trace, "queries_neighbours")));
    CHECK(step_value(trace, "mixed_agrees").values()[0] == 1.0F);
}

TEST_CASE("pairs turn as fast as the base says, and one head of grouped queries turns as the rotary stage") {
    const StageTrace slow = walked("rotary", [](Parameters& p) { p.rotary_base = 4.0; });
    CHECK(step_value(slow, "theta").values()[1] == 0.5F);
    for (const Pairing pairing : {Pairing::halves, Pairing::neighbours}) {
        const StageTrace one = walked("grouped-query", [&](Parameters& p) {
            p.d_out = 4;
            p.num_heads = p.kv_heads = 1;
            p.rotary = pairing;
        });
        const StageTrace alone = walked("rotary");
        const std::string suffix = pairing == Pairing::halves ? "_halves" : "_neighbours";
        CHECK(identical(select(step_value(one, "queries_turned"), {0, 0}),
                        step_value(alone, "queries" + suffix)));
        CHECK(identical(select(step_value(one, "keys_turned"), {0, 0}), step_value(alone, "keys" + suffix)));
        CHECK(step_value(one, "copies_agree").values()[0] == 1.0F);
        CHECK(one.parameters.rotary_base == usual_rotary_base);
    }
}

TEST_CASE("a mask of the other convention shows the future alone, and a row with nothing to see is nan") {
    const StageTrace trace = walked("masks");
    const StageTrace causal = walk_causal(journey());
    CHECK(identical(step_value(trace, "attn_weights"), step_value(causal, "attn_weights_causal")));
    const Tensor& mixed = step_value(trace, "attn_weights_mixed_up");
    for (std::size_t i = 0; i < 6; ++i) {
        for (std::size_t j = 0; j < 6; ++j) {
            CHECK((i == 5 ? std::isnan(mixed.at({i, j})) : (mixed.at({i, j}) > 0.0F) == (j > i)));
        }
    }
    CHECK(std::isnan(step_value(trace, "attn_weights_nan").at({0, 0})));
    CHECK(step_value(trace, "attn_weights_itself").at({0, 0}) == 1.0F);
    CHECK(step_value(trace, "attn_weights_zeroed").at({0, 0}) == 0.0F);
    CHECK(step_value(trace, "attn_weights_finite").at({0, 5}) == doctest::Approx(1.0 / 6.0));
    CHECK(step_value(trace, "ways_equal").values()[2] == 1.0F);
}

TEST_CASE("the shorter of two sentences keeps its own context vectors, down to one token of it") {
    for (const std::size_t tokens : {1U, 2U, 3U, 9U}) {
        const StageTrace trace = walked("masks", {}, lesson_of(tokens, 4));
        CHECK(step_value(trace, "short_context").size(0) == (tokens < 3 ? 1 : tokens - 2));
        CHECK(step_value(trace, "padding_agrees").values()[0] == 1.0F);
        CHECK(step_value(trace, "corner_is_right").values()[0] == 1.0F);
    }
    const StageTrace three = walked("masks", [](Parameters& p) { p.short_length = 3; });
    CHECK(step_value(three, "short_context").size(0) == 3);
    CHECK(step_value(three, "padding_agrees").values()[0] == 1.0F);
}
