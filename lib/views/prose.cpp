#include "views/prose.hpp"

#include <algorithm>

namespace attn {

namespace {

constexpr std::size_t prose_width = 80;

// Code points, which is columns for the scripts the narration is written in so far.
std::size_t width(std::string_view text) {
    std::size_t count = 0;
    for (const char c : text) {
        count += static_cast<std::size_t>((static_cast<unsigned char>(c) & 0xC0U) != 0x80U);
    }
    return count;
}

}  // namespace

std::string wrapped(std::string_view prose) {
    std::string text;
    std::size_t column = 0;
    while (!prose.empty()) {
        const std::string_view word = prose.substr(0, prose.find(' '));
        prose.remove_prefix(std::min(prose.size(), word.size() + 1));
        const std::size_t word_width = width(word);
        if (column > 0 && column + 1 + word_width > prose_width) {
            text += '\n';
            column = 0;
        }
        text += column == 0 ? "" : " ";
        text += word;
        column += word_width + (column == 0 ? 0 : 1);
    }
    return text + "\n";
}

}  // namespace attn
