// Finds the use of a file by its suffix and content: `causal x.npy` walks through causal on these embeddings.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace attn {

enum class FileUse { numbers, input, weights, text, answers };

// Returns the use of a file that exists; numbers for a file that cannot be read.
FileUse use_of(const std::string& path);

// True for a path that ends in one of these.
bool has_suffix(std::string_view path, std::initializer_list<std::string_view> suffixes);
// True for the name of a file that can contain answers to exercises.
bool is_answer_file(const std::string& path);
// True for a sheet of exercises, which can be filled in, or its key.
bool is_sheet(const std::string& path);

}  // namespace attn
