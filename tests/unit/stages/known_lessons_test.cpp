// The lessons of public courses: the first printed rows of their stages, as PyTorch 2.6 prints them.
#include <doctest/doctest.h>

#include <string>

#include "tensor/tensor_text.hpp"
#include "walked.hpp"

using namespace attn;

TEST_CASE("each known lesson prints its own numbers with its own settings") {
    std::string printed;
    for (const KnownLesson& one : known_lessons()) {
        const Stage& stage = *find_stage(one.stage);
        Parameters parameters = stage.defaults;
        for (const Setting& setting : one.settings) {
            CHECK(find_parameter(setting.parameter)->read(parameters, setting.value).empty());
        }
        const StageTrace trace = walk(stage, one.lesson, parameters);
        const std::string text = tensor_text(trace.node(trace.steps.back()).value);
        printed += one.stage + ": " + text.substr(0, text.find('\n') + 1);
    }
    CHECK(printed ==
          "trainable: tensor([[0.2273, 0.7361],\n"
          "multi-head: tensor([[[ 0.1569, -0.0873,  0.0210,  0.0215, -0.3243, -0.2518],\n");
}
