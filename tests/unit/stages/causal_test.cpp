// Attention is causal. tests/cli/answers.py tests that every parameter changes the result.
#include <doctest/doctest.h>

#include <string_view>

#include "tensor/layout.hpp"
#include "walked.hpp"

using namespace attn;

TEST_CASE("a later token never changes an earlier row") {
    for (const bool bias : {false, true}) {
        Parameters parameters = causal_defaults();
        parameters.qkv_bias = bias;
        const StageTrace before = walk_causal(journey(), parameters);
        for (std::size_t token = 0; token < 6; ++token) {
            Lesson changed = journey();
            changed.embeddings.values()[token * 3 + 1] += 0.5F;
            const StageTrace after = walk_causal(changed, parameters);
            const auto same = [&](std::string_view step, std::size_t from, std::size_t to) {
                return identical(slice(step_value(after, step), 0, from, to),
                                 slice(step_value(before, step), 0, from, to));
            };
            for (const auto* step : {"context_vec", "context_vec_dropped", "attn_weights_causal"}) {
                CHECK(same(step, 0, token));
            }
            CHECK_FALSE(same("context_vec", token, token + 1));
            CHECK_FALSE(same("attn_weights", 0, 1));  // without the mask, each row attends to every token
        }
    }
}
