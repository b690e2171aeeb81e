// Stages that compute something in two ways get the same result. PyTorch alone would not notice, because it
// would run a wrong line as well.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tensor/random.hpp"
#include "walked.hpp"

using namespace attn;

namespace {

Lesson random_lesson(std::size_t tokens) {
    Generator generator(tokens);
    Lesson lesson{{}, randn(generator, Shape{tokens, 3})};
    for (std::size_t i = 0; i < tokens; ++i) {
        lesson.tokens.push_back("t" + std::to_string(i));
    }
    return lesson;
}

StageTrace walked(std::string_view stage, const Lesson& lesson) {
    return walk(*find_stage(stage), lesson, find_stage(stage)->defaults);
}

double largest_difference(const Tensor& a, const Tensor& b) {
    REQUIRE(a.shape() == b.shape());
    double largest = 0.0;
    for (std::size_t i = 0; i < a.count(); ++i) {
        largest = std::max(largest, std::abs(static_cast<double>(a.values()[i] - b.values()[i])));
    }
    return largest;
}

}  // namespace

TEST_CASE("tile by tile, with whatever is left for the last one, attention is what it is at once") {
    for (std::size_t tokens = 1; tokens <= 11; ++tokens) {
        CAPTURE(tokens);
        const Lesson lesson = random_lesson(tokens);
        const StageTrace streaming = walked("streaming", lesson);
        CHECK(step_value(streaming, "ways_agree").values()[0] == 1.0F);
        const StageTrace causal = walked("causal", lesson);  // with the same seed
        const Tensor& at_once = step_value(causal, "context_vec");
        CHECK(largest_difference(step_value(streaming, "context_vec"), at_once) < 1e-5);
        CHECK(largest_difference(step_value(streaming, "whole_context"), at_once) == 0.0);
    }
}

TEST_CASE("number by number, head by head or all at once, the numbers are the same") {
    for (const std::size_t tokens : {1U, 2U, 7U}) {
        CAPTURE(tokens);
        const Lesson lesson = random_lesson(tokens);
        CHECK(step_value(walked("simplified", lesson), "loop_agrees").values()[0] == 1.0F);
        CHECK(step_value(walked("multi-head", lesson), "same_numbers").values()[0] == 1.0F);
        CHECK(step_value(walked("head-split", lesson), "same_numbers").values()[0] == 1.0F);
    }
}
