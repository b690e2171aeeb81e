// Reads the sentence and its embeddings, from a user's file or the compiled-in one.
#pragma once

#include <string>
#include <string_view>

#include "files/source.hpp"
#include "stages/lesson.hpp"

namespace attn {

// {"tokens": ["Your", …], "embeddings": [[0.43, 0.15, 0.89], …]}, one row per token. Throws Error for
// anything else, naming `origin` and the place.
Lesson read_lesson(std::string_view text, std::string_view origin);

// Reads a lesson from a file or standard input in any format of tensor_file.hpp. In a file of tensors
// it is the only tensor, or the one called inputs, embeddings or x, of shape (n, d_in) after any axes of
// length 1. Its tokens are named by position: 0, 1, ….
Lesson load_lesson(const std::string& path);

}  // namespace attn
