// The text of a verdict.
#pragma once

#include <string>
#include <string_view>

#include "quiz/judging.hpp"
#include "words/words.hpp"

namespace attn {

class VerdictWords {
public:
    explicit VerdictWords(std::string_view language);

    const Words& phrases() const { return phrases_; }
    // Returns "Right", or the right answer with its reason and the mistakes that give the typed answer. Long
    // lines are wrapped.
    std::string verdict(const QuizQuestion& question, std::string_view typed, const Verdict& verdict) const;
    // Says that the answer cannot be read, and shows the expected form.
    std::string unreadable(const QuizQuestion& question, std::string_view typed) const;

private:
    Words phrases_, mistakes_, words_;
};

}  // namespace attn
