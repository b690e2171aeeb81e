// The further topics: what changes with their options. tests/oracle/attention_calls.py compares their results
// with PyTorch's own attention, tests/cli/claims.py checks what their notes say.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "any_weights.hpp"
#include "walked.hpp"

using namespace attn;

namespace {

Lesson lesson_of(std::size_t tokens) {
    Random random(7);
    return {std::vector<std::string>(tokens, "token"), drawn(random, {tokens, 5}, 2.0F)};
}

StageTrace walked(
    std::string_view stage, void (*change)(Parameters&) = [](Parameters&) {}) {
    Parameters parameters = find_stage(stage)->defaults;
    change(parameters);
    return walk(*find_stage(stage), journey(), parameters);
}

}  // namespace

TEST_CASE("each stage has a way back, goes back by itself or says why nothing is trained in it") {
    for (const Stage* stage : catalogue()) {
        CHECK_MESSAGE(uses(*stage, "backward") == stage->why_no_gradients.empty(), std::string(stage->name));
        CHECK(uses(*stage, "backward") <= uses(*stage, "loss"));
    }
}

TEST_CASE("three steps of training give each tensor a name of its own, and the loss falls") {
    const StageTrace trace = walk_defaults("training-step");
    std::set<std::string> names;
    for (const Node& node : trace.notebook.nodes()) {
        if (!node.name.empty() && node.call.operation->is_tensor()) {
            CHECK_MESSAGE(names.insert(node.name).second, node.name);
        }
    }
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

TEST_CASE("a window of one token fewer or more gives the mistake's numbers") {
    const StageTrace two = walked("sliding-window", [](Parameters& p) { p.window = 2; });
    const StageTrace one = walked("sliding-window", [](Parameters& p) { p.window = 1; });
    CHECK(identical(step_value(two, "attn_weights_narrower"), step_value(one, "attn_weights")));
    CHECK(identical(step_value(two, "attn_weights_wider"),
                    step_value(walk_defaults("sliding-window"), "attn_weights")));
}

TEST_CASE("token by token, with keys kept, the context vectors are those of the causal stage, bit for bit") {
    for (const std::size_t tokens : {1U, 2U, 7U}) {  // from 8 tokens on, softmax adds rows in lanes
        const Lesson lesson = lesson_of(tokens);
        const StageTrace kept = walk_defaults("kv-cache", lesson);
        CHECK(identical(step_value(kept, "context_vec"), step_value(walk_causal(lesson), "context_vec")));
    }
}

TEST_CASE("pairs turn as the base says; a pair of two is turned by either pairing, a long sentence rounds") {
    const StageTrace slow = walked("rotary", [](Parameters& p) { p.rotary_base = 4.0; });
    CHECK(step_value(slow, "theta").values()[1] == 0.5F);
    const StageTrace pair = walked("rotary", [](Parameters& p) { p.d_out = 2; });
    CHECK(identical(step_value(pair, "queries_halves"), step_value(pair, "queries_neighbours")));
    CHECK(step_value(pair, "mixed_agrees").values()[0] == 1.0F);
    const StageTrace far = walk_defaults("rotary", lesson_of(300));
    CHECK(step_value(far, "distance_agrees").values()[0] == 1.0F);
    CHECK(step_value(far, "mixed_agrees").values()[0] == 0.0F);
    const StageTrace groups = walked("grouped-query", [](Parameters& p) { p.rotary = Pairing::halves; });
    CHECK(groups.parameters.rotary_base == usual_rotary_base);
}
