// Reads built-in files of data/: the default lesson, and the tensors of stages with data of their own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stages/lesson.hpp"
#include "stages/parameters.hpp"

namespace attn {

// The sentence of the documents.
Lesson built_in_lesson();

// A variant of the documents' lesson that public courses use, and the settings with which they run one stage.
struct KnownLesson {
    Lesson lesson;
    std::string stage;
    std::vector<Setting> settings;
};

std::vector<KnownLesson> known_lessons();

// Returns the tensor `name` of a file in data/. Throws std::logic_error if there is no such file, and Error
// if there is no such tensor.
Tensor shipped(std::string_view file, std::string_view name);
// Returns a list of words of a file in data/.
std::vector<std::string> shipped_words(std::string_view file, std::string_view name);

}  // namespace attn
