// The words around the numbers: data/narration/, a folder per language and a file per stage, so that a run
// reads no words but its own.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace attn {

struct StepWords {
    std::string title;
    std::string note;
};

struct StageWords {
    std::string title;
    std::string adds;  // to the stage before it
    std::string intro;
    std::map<std::string, StepWords, std::less<>> steps;

    // Throws std::logic_error when the step has no words.
    const StepWords& step(std::string_view name) const;
};

// The compiled-in words of a stage. Throws Error for a file that holds anything else than words.
StageWords read_narration(std::string_view language, std::string_view stage);

}  // namespace attn
