// Reads the sentence and its embeddings, from a user's file as from the compiled-in one.
#pragma once

#include <string>
#include <string_view>

#include "files/source.hpp"
#include "stages/lesson.hpp"

namespace attn {

// {"tokens": ["Your", …], "embeddings": [[0.43, 0.15, 0.89], …]}, one row per token. Throws Error for
// anything else, naming `origin` and the place.
Lesson read_lesson(std::string_view text, std::string_view origin);

// The lesson in a file, or from standard input, of whatever kind its bytes are (tensor_file_reader.hpp). In a
// file of tensors it is the only tensor, or the one called inputs, embeddings or x. Its shape is (n, d_in),
// after any axes of length 1. The tokens are then called after their positions: 0, 1, ….
Lesson load_lesson(const std::string& path);

}  // namespace attn
