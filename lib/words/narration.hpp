// The texts of a stage, data/narration/<language>/<stage>.json. A run shows those whose condition is true of
// it. The texts in gradients.json hold for every stage without its own words for a gradient. In them `{}` is
// the name of the step whose gradient it is.
//
// A text is a string, or an object {"say": …, "when": …, "else": …, "check": …}, or a list of sentences that
// are either. `when` is the condition under which it is said (condition.hpp), `else` what is said otherwise.
// `check` is what it claims about the numbers: tests evaluate it, and where numbers were set by the reader, a
// sentence whose claim is false is left out. Conditions and checks stand beside
// the English sentences; those of other languages follow their order.
//
// A text quotes numbers of the run as expressions in braces, `{1 - attn_weights[0, 0]}` or, to no decimals,
// `{100 * attn_weights[0, 0]:0}`. A sentence that quotes a number which the run does not have, is left out.
#pragma once

#include <string>
#include <string_view>

#include "words/condition.hpp"
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

    // The key of a step's words: `steps/attn_scores_2`.
    std::string step_key(const Situation& run) const;

private:
    bool is_silent() const { return is_silent_; }
    std::string told(const std::string& key, const Situation& run) const;
    std::string sentence(const std::string& key, const Situation& run) const;

    std::string stage_;
    Words words_;
    bool is_silent_;
};

}  // namespace attn
