// The texts of a stage, data/narration/<language>/<stage>.json. If a stage has no text for a gradient,
// gradients.json has one, in which `{}` stands for the name of the tensor.
//
// A text is a sentence or a list of sentences. A sentence such as `[mask, not given] Row 0 …` begins with
// facts in brackets (facts.hpp), and is shown if all of them are true. In braces are numbers, by cell or by
// name: `{this[0, 0]}`, `{√d_k}`. They are rounded to four decimals; `{this[0, 0]:%}` is a percentage,
// `{this[0, 0]:rest%}` the difference from 100 %. A sentence is left out if its number is missing, inf or
// NaN.
#pragma once

#include <string>
#include <string_view>

#include "words/facts.hpp"
#include "words/words.hpp"

namespace attn {

class Narration {
public:
    // A stage without a file has the names of steps as titles, and no other texts.
    Narration(std::string_view language, std::string_view stage);

    const std::string& language() const { return words_.language(); }
    const Words& words() const { return words_; }

    // Return the stage's title, the documents that it follows, and what it adds to the previous stage.
    std::string title() const { return is_silent_ ? stage_ : words_.at("title"); }
    std::string follows() const { return words_.or_empty("follows"); }  // may be empty
    std::string adds() const { return is_silent_ ? "" : words_.at("adds"); }
    // Returns the introduction. If the reader replaced numbers, it ends with a warning that the texts
    // describe the original numbers.
    std::string intro(const Situation& run) const;

    // Return what goes into the stage and what comes out, as parts of a sentence; may be empty.
    std::string input(const Situation& run) const { return told("goes_in", run); }
    std::string output(const Situation& run) const { return told("comes_out", run); }

    // Suggestions for what to try next; may be empty.
    std::string next() const { return words_.or_empty("next"); }

    // Returns the heading of the group that begins with this step, otherwise an empty text.
    std::string heading(const Situation& run) const { return words_.or_empty(step_key(run) + "/heading"); }
    // Return the texts of a step. Steps whose names differ only in a number share their texts: attn_scores_4
    // has the texts of attn_scores_2, and a key can name several steps: `b_key_grad, b_k_grad`. Throw
    // std::logic_error if the step has no texts.
    std::string title(const Situation& run) const;
    // Returns the note of a step, followed by the numbers that were replaced.
    std::string note(const Situation& run) const;

    // The key of a step's texts: `attn_scores_2`.
    std::string step_key(const Situation& run) const;

private:
    std::string told(const std::string& key, const Situation& run) const;

    std::string stage_;
    Words words_;
    bool is_silent_;
};

}  // namespace attn
