// The stages `streaming` and `causal` get the same result. PyTorch alone would not notice, because it would
// run a wrong line as well. tests/cli/claims.py compares what one stage computes in two ways.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tensor/random.hpp"
#include "walked.hpp"

using namespace attn;

TEST_CASE("tile by tile or all at once, the context vectors are the same") {
    for (std::size_t tokens = 1; tokens <= 11; ++tokens) {
        CAPTURE(tokens);
        Generator generator(tokens);
        const Lesson lesson{std::vector<std::string>(tokens, "t"), randn(generator, Shape{tokens, 3})};
        const StageTrace streaming = walk_defaults("streaming", lesson);
        const StageTrace causal = walk_defaults("causal", lesson);  // with the same seed
        CHECK(step_value(streaming, "ways_agree").values()[0] == 1.0F);
        const Tensor& at_once = step_value(causal, "context_vec");
        CHECK(identical(step_value(streaming, "whole_context"), at_once));
        const Tensor& tiled = step_value(streaming, "context_vec");
        for (std::size_t i = 0; i < tiled.count(); ++i) {
            CHECK(std::abs(tiled.values()[i] - at_once.values()[i]) < 1e-5F);
        }
    }
}
