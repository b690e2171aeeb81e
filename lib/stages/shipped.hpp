// The lesson that is there when the reader brings none, and what a stage brings along that the lesson is not
// about. All of it lies in data/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stages/lesson.hpp"

namespace attn {

// The sentence of the documents.
Lesson built_in_lesson();

// The tensor under `name` in a file of data/. Throws std::logic_error when there is no such file, Error when
// there is no such tensor.
Tensor shipped(std::string_view file, std::string_view name);
// The list of words.
std::vector<std::string> shipped_words(std::string_view file, std::string_view name);

}  // namespace attn
