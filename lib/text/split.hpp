// Splits texts at line breaks and other separators.
#pragma once

#include <string_view>
#include <vector>

namespace attn {

// Returns the parts of a text between separators. Like Python's splitlines(), it returns no empty part after
// a separator at the end.
std::vector<std::string_view> split(std::string_view text, std::string_view separator);

// Returns the part of a text before the mark; the whole text if it has none. Python: text.partition(mark)[0]
inline std::string_view up_to(std::string_view text, std::string_view mark) {
    return text.substr(0, text.find(mark));
}

inline std::vector<std::string_view> split_lines(std::string_view text) {
    return split(text, "\n");
}

}  // namespace attn
