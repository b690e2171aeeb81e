// Reads a sentence and its embeddings from a user's file, or from the compiled-in file.
#pragma once

#include <string>
#include <string_view>

#include "stages/lesson.hpp"

namespace attn {

// Reads {"tokens": ["Your", …], "embeddings": [[0.43, 0.15, 0.89], …]}, with one row per token. For anything
// else, throws Error with `origin` and the place.
Lesson read_lesson(std::string_view text, std::string_view origin);

// Reads a lesson from a file or standard input: JSON, a table in .csv or .tsv, or any format of
// tensor_file.hpp. A table may have names above its columns and tokens in its first column. From a file of
// tensors, takes the only one, or the one called inputs, embeddings or x. Its shape must be (n, d_in),
// possibly after axes of length 1. Then the tokens are called 0, 1, ….
Lesson load_lesson(const std::string& path);

// Returns the words of a sentence as tokens, with rows of torch.nn.Embedding(50000, 3) after
// torch.manual_seed(123) as embeddings. A word's row is its CRC-32 modulo 50000, in every sentence. Blanks
// separate words; a Chinese or Japanese character is a word of its own. Throws Error for a sentence without
// words.
Lesson lesson_of_words(std::string_view sentence);

}  // namespace attn
