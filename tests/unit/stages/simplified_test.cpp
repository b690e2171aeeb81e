// Claims about the stage without weights, for many lessons.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "files/resources.hpp"
#include "stages/catalogue.hpp"
#include "stages/lesson_reader.hpp"
#include "stages/trace.hpp"

using namespace attn;

namespace {

// Returns true if a number of large_exp overflows, for the lesson with its embeddings scaled.
bool overflows(float scale) {
    Lesson lesson = read_lesson(resource("journey.json"), "journey.json");
    for (float& value : lesson.embeddings.values()) {
        value *= scale;
    }
    const Stage& stage = *find_stage("simplified");
    const StageTrace trace = walk(stage, lesson, stage.defaults);
    const Tensor& exponentials = trace.node(trace.find("large_exp_2").value()).value;
    return std::ranges::any_of(exponentials.values(), [](float value) { return std::isinf(value); });
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
