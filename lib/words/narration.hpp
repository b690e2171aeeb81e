// The words of a stage: data/narration/<language>/<stage>.json.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "words/words.hpp"

namespace attn {

struct StepWords {
    std::string title;
    std::string note;
    std::string own_weights;  // in place of the note when the reader brings weights; empty: the note serves

    const std::string& note_for(bool brought_weights) const {
        return brought_weights && !own_weights.empty() ? own_weights : note;
    }
};

struct StageWords {
    std::string language;
    std::string title;
    std::string adds;  // to the stage before it
    std::string intro;
    std::map<std::string, StepWords, std::less<>> steps;

    // Names that differ in a number share their words: attn_scores_4 has those of attn_scores_2. Throws
    // std::logic_error when the step has none.
    StepWords step(std::string_view name) const;
};

// The compiled-in words of a stage. A stage without a file, and its steps, are called by their names, and no
// more is said. Throws Error for a file that holds anything else than words.
StageWords read_narration(std::string_view language, std::string_view stage);

}  // namespace attn
