// The texts of a stage, data/narration/<language>/<stage>.json. The texts in gradients.json hold for every
// stage without its own words for a gradient. In them `{}` is the name of the step whose gradient it is.
//
// A text is a sentence or a list of sentences. One that begins with facts in brackets (facts.hpp) is said
// where all of them hold: `[mask, not given] Row 0 …`. Numbers of the run stand in braces, as a cell or by
// their names: `{this[0, 0]}`, `{√d_k}`. They are rounded to four decimals; `{this[0, 0]:%}` is a percentage,
// `{this[0, 0]:rest%}` what is missing from 100 %. A sentence is left out when the run lacks its number, or
// when it is inf or NaN.
#pragma once

#include <string>
#include <string_view>

#include "words/facts.hpp"
#include "words/words.hpp"

namespace attn {

class Narration {
public:
    // A stage without a file, and its steps, are called by their names, and no more is said.
    Narration(std::string_view language, std::string_view stage);

    const std::string& language() const { return words_.language(); }
    const Words& words() const { return words_; }

    // The stage's title, the documents and sections it follows, and what it adds to the stage before it.
    std::string title() const { return is_silent() ? stage_ : words_.at("title"); }
    std::string follows() const { return is_silent() ? "" : words_.at("follows"); }
    std::string adds() const { return is_silent() ? "" : words_.at("adds"); }
    // The intro also says whether numbers were set, for what is said is true of the stage without that.
    std::string intro(const Situation& run) const;

    // Suggestions of what to try next; may be empty.
    std::string next() const;

    // The heading of a step and those after it; empty where none begins there.
    std::string heading(const Situation& run) const;
    // The words of a step. Names that differ in a number share their words: attn_scores_4 has those of
    // attn_scores_2. Throw std::logic_error when the step has none.
    std::string title(const Situation& run) const;
    // The note also says which numbers were set.
    std::string note(const Situation& run) const;

    // The key of a step's words: `attn_scores_2`.
    std::string step_key(const Situation& run) const;

private:
    bool is_silent() const { return is_silent_; }
    std::string told(const std::string& key, const Situation& run) const;

    std::string stage_;
    Words words_;
    bool is_silent_;
};

}  // namespace attn
