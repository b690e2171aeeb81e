// Attention is causal. tests/cli/answers.py tests that every parameter changes the result.
#include <doctest/doctest.h>

#include <cmath>
#include <string_view>
#include <vector>

#include "bits.hpp"
#include "tensor/random.hpp"
#include "walked.hpp"

using namespace attn;

namespace {

std::string row_bits(const Tensor& x, std::size_t row) {
    const std::size_t width = x.size(-1);
    return bits(x.values().subspan(row * width, width));
}

}  // namespace

TEST_CASE("a later token never changes an earlier row") {
    const Lesson lesson = journey();
    for (const bool bias : {false, true}) {
        Parameters parameters = causal_defaults();
        parameters.qkv_bias = bias;
        const StageTrace before = walk_causal(lesson, parameters);
        std::size_t unchanged = 0;
        for (std::size_t token = 0; token < 6; ++token) {
            Lesson changed = lesson;
            changed.embeddings.values()[token * 3 + 1] += 0.5F;
            const StageTrace after = walk_causal(changed, parameters);
            for (const std::string_view step :
                 {"context_vec", "context_vec_dropped", "attn_weights_causal"}) {
                for (std::size_t row = 0; row < token; ++row) {
                    CHECK(row_bits(step_value(after, step), row) == row_bits(step_value(before, step), row));
                    ++unchanged;
                }
            }
            CHECK(row_bits(step_value(after, "context_vec"), token) !=
                  row_bits(step_value(before, "context_vec"), token));
            // Without the mask, every row attends to every token.
            CHECK(row_bits(step_value(after, "attn_weights"), 0) !=
                  row_bits(step_value(before, "attn_weights"), 0));
        }
        CHECK(unchanged == 3 * (0 + 1 + 2 + 3 + 4 + 5));
    }
}

TEST_CASE("each row of weights sums to one and gives nothing to later tokens, whatever the lesson") {
    for (const std::size_t n : {1U, 2U, 7U, 8U, 33U}) {
        CAPTURE(n);
        Generator generator(n);
        const Lesson lesson{std::vector<std::string>(n, "token"), randn(generator, Shape{n, 5})};
        const StageTrace trace = walk_causal(lesson);
        for (const std::string_view step : {"attn_weights_causal", "masked_simple_norm"}) {
            const Tensor& weights = step_value(trace, step);
            for (std::size_t i = 0; i < n; ++i) {
                double sum = 0.0;
                for (std::size_t j = 0; j < n; ++j) {
                    sum += static_cast<double>(weights.at({i, j}));
                    CHECK((weights.at({i, j}) == 0.0F) == (j > i));
                }
                CHECK(std::abs(sum - 1.0) < 1e-6);
            }
        }
    }
}

TEST_CASE("masking the scores gives the weights that renormalising gives") {
    const StageTrace trace = walk_causal(journey());
    const Tensor& by_scores = step_value(trace, "attn_weights_causal");
    const Tensor& by_weights = step_value(trace, "masked_simple_norm");
    for (std::size_t i = 0; i < by_scores.count(); ++i) {
        CHECK(std::abs(by_scores.values()[i] - by_weights.values()[i]) < 1e-6F);
    }
}

TEST_CASE("the first token attends to itself alone") {
    const StageTrace trace = walk_causal(journey());
    CHECK(row_bits(step_value(trace, "context_vec"), 0) == row_bits(step_value(trace, "values"), 0));
}
