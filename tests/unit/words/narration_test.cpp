// The words of the stages: which note is shown for which weights.
#include "words/narration.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include "stages/catalogue.hpp"

using attn::StepWords;

TEST_CASE("the second note of a step is for weights of the reader's own") {
    const StepWords both{"title", "drawn", "given"};
    CHECK(both.note_for(false) == "drawn");
    CHECK(both.note_for(true) == "given");
    const StepWords one{"title", "either", ""};
    CHECK(one.note_for(false) == "either");
    CHECK(one.note_for(true) == "either");
}

TEST_CASE("words that are not there are a mistake of the program, which says which") {
    const attn::StageWords words = attn::read_narration("en", "simplified");
    CHECK(words.step("attn_scores_4").title == words.step("attn_scores_2").title);
    CHECK_THROWS_WITH_AS(words.step("no_such_step"), "the narration has no words for step no_such_step",
                         std::logic_error);
}

TEST_CASE("where the reader brings weights no note tells of their being drawn") {
    std::size_t stages = 0;
    for (const attn::Stage* stage : attn::catalogue()) {
        if (std::ranges::find(stage->options, "weights") == stage->options.end()) {
            continue;
        }
        ++stages;
        const attn::StageWords words = attn::read_narration("en", stage->name);
        for (const auto& step : words.steps) {
            const std::string& name = step.first;
            if (name == "x" || name.find("dropped") != std::string::npos || name == "dropout_example") {
                continue;  // an input and masks, which are drawn all the same
            }
            CAPTURE(name);
            const std::string& note = step.second.note_for(true);
            for (const std::string_view told : {"Drawn", "are drawn", "Linear draws", "after the same seed",
                                                "the seed alone", "Uniform between", "torch.rand"}) {
                CHECK_MESSAGE(note.find(told) == std::string::npos, std::string(stage->name), ": ", note);
            }
        }
    }
    CHECK(stages >= 8);
}
