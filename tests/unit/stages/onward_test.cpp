// The further topics: what changes with their options. tests/oracle/attention_calls.py compares their results
// with PyTorch's own attention, tests/cli/claims.py checks what their notes say.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "tensor/random.hpp"
#include "walked.hpp"

using namespace attn;

namespace {

Lesson lesson_of(std::size_t tokens) {
    Generator generator(7);
    return {std::vector<std::string>(tokens, "token"), randn(generator, {tokens, 5})};
}

}  // namespace

TEST_CASE("each stage has a way back, goes back by itself or says why nothing is trained in it") {
    for (const Stage* stage : catalogue()) {
        CHECK_MESSAGE(uses(*stage, "backward") == stage->why_no_gradients.empty(), std::string(stage->name));
        CHECK(uses(*stage, "backward") <= uses(*stage, "loss"));
    }
}

TEST_CASE("in three steps of training the loss falls") {
    const StageTrace trace = walk_defaults("training-step");
    const std::span<const float> losses = step_value(trace, "losses").values();
    CHECK(std::ranges::adjacent_find(losses, std::ranges::less_equal{}) == losses.end());
}

TEST_CASE("a window is three tokens wide, the shorter sentence two tokens shorter, if there are as many") {
    for (const std::size_t tokens : {1U, 2U, 3U, 30U}) {
        const StageTrace sliding = walk_defaults("sliding-window", lesson_of(tokens));
        const StageTrace masks = walk_defaults("masks", lesson_of(tokens));
        CHECK(sliding.parameters.window == std::min<std::size_t>(tokens, 3));
        CHECK(step_value(masks, "short_context").size(0) == (tokens < 3 ? 1 : tokens - 2));
    }
}

TEST_CASE("token by token, with keys kept, the context vectors are those of the causal stage, bit for bit") {
    for (const std::size_t tokens : {1U, 2U, 7U}) {  // from 8 tokens on, softmax adds rows in lanes
        const Lesson lesson = lesson_of(tokens);
        const StageTrace kept = walk_defaults("kv-cache", lesson);
        CHECK(identical(step_value(kept, "context_vec"), step_value(walk_causal(lesson), "context_vec")));
    }
}

TEST_CASE("a pair of two is turned by either pairing, and a long sentence rounds") {
    Parameters two = find_stage("rotary")->defaults;
    two.d_out = 2;
    const StageTrace pair = walk(*find_stage("rotary"), journey(), two);
    CHECK(identical(step_value(pair, "queries_halves"), step_value(pair, "queries_neighbours")));
    CHECK(step_value(pair, "mixed_agrees").values()[0] == 1.0F);
    const StageTrace far = walk_defaults("rotary", lesson_of(300));
    CHECK(step_value(far, "distance_agrees").values()[0] == 1.0F);
    CHECK(step_value(far, "mixed_agrees").values()[0] == 0.0F);
}
