// Reads the sentence and its embeddings, from a user's file as from the compiled-in one.
#pragma once

#include <string_view>

#include "walkthrough/lesson.hpp"

namespace attn {

// {"tokens": ["Your", …], "embeddings": [[0.43, 0.15, 0.89], …]}, one row per token. Throws Error for
// anything else, naming `origin` and the place.
Lesson read_lesson(std::string_view text, std::string_view origin);

}  // namespace attn
