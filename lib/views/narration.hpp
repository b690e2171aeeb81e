// The words around the numbers, in one language: data/narration/.
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

using Narration = std::map<std::string, StageWords, std::less<>>;

// Reads a file of data/narration/. Throws Error for anything else than words.
Narration read_narration(std::string_view text, std::string_view origin);

}  // namespace attn
