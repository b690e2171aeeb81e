// The texts of a stage, data/narration/<language>/<stage>.json. gradients.json has the texts of gradients for
// which a stage has none; there, `{}` is the name of the step whose gradient it is.
//
// A text is a sentence or a list of sentences. A sentence that begins with facts in brackets (facts.hpp) is
// shown if all of them hold: `[mask, not given] Row 0 …`. Numbers stand in braces, by cell or by name:
// `{this[0, 0]}`, `{√d_k}`. They are rounded to four decimals; `{this[0, 0]:%}` is a percentage, `{this[0,
// 0]:rest%}` the difference from 100 %. A sentence is left out if its number is missing, inf or NaN.
#pragma once

#include <string>
#include <string_view>

#include "words/facts.hpp"
#include "words/words.hpp"

namespace attn {

class Narration {
public:
    // For a stage without a file, titles are names and all other texts are empty.
    Narration(std::string_view language, std::string_view stage);

    const std::string& language() const { return words_.language(); }
    const Words& words() const { return words_; }

    // The stage's title, the documents and sections it follows, and its difference from the previous stage.
    std::string title() const { return is_silent() ? stage_ : words_.at("title"); }
    std::string follows() const { return is_silent() ? "" : words_.at("follows"); }
    std::string adds() const { return is_silent() ? "" : words_.at("adds"); }
    // Returns the introduction. If numbers were replaced, it adds that the texts describe the stage without
    // replaced numbers.
    std::string intro(const Situation& run) const;

    // Suggestions for what to try next; may be empty.
    std::string next() const;

    // The heading of a group of steps; empty unless the group begins with this step.
    std::string heading(const Situation& run) const;
    // The texts of a step. Names that differ in a number share their texts: attn_scores_4 has those of
    // attn_scores_2. Both throw std::logic_error if the step has no texts.
    std::string title(const Situation& run) const;
    // Returns the note of a step, followed by the numbers that were replaced.
    std::string note(const Situation& run) const;

    // The key of a step's texts: `attn_scores_2`.
    std::string step_key(const Situation& run) const;

private:
    bool is_silent() const { return is_silent_; }
    std::string told(const std::string& key, const Situation& run) const;

    std::string stage_;
    Words words_;
    bool is_silent_;
};

}  // namespace attn
