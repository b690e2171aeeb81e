// The words around the numbers: data/narration/, a folder per language and a file per stage, so that a run
// reads no words but its own.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>

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
    const StepWords& step(std::string_view name) const;
};

// What the program says itself among those words: `Rows:`, `document {}`.
class Phrases {
public:
    // Those of one file, named without its ending.
    explicit Phrases(std::string_view language, std::string_view file = "program");

    // The phrase with the values in the places of its `{}`. Throws std::logic_error when there is none.
    template <typename... Values>
    std::string operator()(std::string_view key, const Values&... values) const {
        return fmt::format(fmt::runtime(pattern(key)), values...);
    }

    // What an axis of a tensor counts, such as `query`; one without a phrase is called as it is.
    std::string axis(std::string_view name) const;

private:
    const std::string& pattern(std::string_view key) const;

    std::map<std::string, std::string, std::less<>> patterns_;
};

// The compiled-in words of a stage. Throws Error for a file that holds anything else than words.
StageWords read_narration(std::string_view language, std::string_view stage);

}  // namespace attn
