// A quiz in English, and its questions by their text.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "quiz/questions.hpp"

namespace attn {

inline Quiz quiz_of(const Trace& trace, std::uint64_t seed = 1) {
    return make_quiz(trace, Words("en", "quiz"), {}, seed);
}

// Returns the first question that contains a text.
inline const QuizQuestion& question(const Quiz& quiz, std::string_view text) {
    const auto found = std::ranges::find_if(
        quiz.questions, [&](const QuizQuestion& one) { return one.text.find(text) != std::string::npos; });
    REQUIRE(found != quiz.questions.end());
    return *found;
}

}  // namespace attn
