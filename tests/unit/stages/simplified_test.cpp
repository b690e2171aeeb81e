// Claims about the stage without weights, for many lessons.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "walked.hpp"

using namespace attn;

namespace {

// Returns true if a number of large_exp overflows, for the lesson with its embeddings scaled.
bool overflows(float scale) {
    Lesson lesson = journey();
    for (float& value : lesson.embeddings.values()) {
        value *= scale;
    }
    const StageTrace trace = walk_defaults("simplified", lesson);
    return std::ranges::any_of(step_value(trace, "large_exp_2").values(),
                               [](float value) { return std::isinf(value); });
}

}  // namespace

TEST_CASE("the scaled scores overflow exp for small and for large embeddings, not only for the lesson's") {
    for (const float scale : {1e-9F, 1e-3F, 0.77F, 1.0F, 7.7F, 8.0F, 1e3F, 1e18F}) {
        CHECK_MESSAGE(overflows(scale), scale);
    }
    CHECK_FALSE(overflows(0.0F));
    // Scores of 1e-38 do not overflow with any power of ten that float64 holds exactly.
    CHECK_FALSE(overflows(1e-19F));
}
