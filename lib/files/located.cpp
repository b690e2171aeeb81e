#include "files/located.hpp"

#include <algorithm>

#include "tensor/error.hpp"
#include "text/printable.hpp"
#include "text/width.hpp"

namespace attn {

namespace {

bool begins_code_point(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

// Puts the text on one line and replaces tabs by spaces.
std::string shown(std::string_view text) {
    std::string line(text);
    std::ranges::replace(line, '\t', ' ');
    return printable(line);
}

}  // namespace

void fail_at(std::string_view text, std::size_t offset, std::string_view origin, const Message& problem) {
    // If nothing was found, npos + 1 is 0.
    const std::size_t begin = offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;
    const std::size_t end = std::min(text.find_first_of("\r\n", offset), text.size());
    const auto line = 1 + std::ranges::count(text.substr(0, begin), '\n');
    const auto column = 1 + std::ranges::count_if(text.substr(begin, offset - begin), begins_code_point);
    // If the line is long, only the part near the place is shown.
    constexpr std::size_t before = 60;
    constexpr std::size_t after = 20;
    std::size_t from = std::max(begin, offset - std::min(offset, before));
    std::size_t to = std::min(end, offset + after);
    for (; from < offset && !begins_code_point(text[from]); ++from) {
    }
    for (; to < end && !begins_code_point(text[to]); ++to) {
    }
    const std::string left = (from > begin ? "…" : "") + shown(text.substr(from, offset - from));
    throw Error("{}:{}:{}: {}\n  {}{}{}\n  {}^", printable(origin), line, column, problem, left,
                shown(text.substr(offset, to - offset)), to < end ? "…" : "",
                std::string(display_width(left), ' '));
}

std::string json_pointer(std::string_view parent, std::string_view key) {
    std::string pointer(parent);
    pointer += '/';
    for (const char c : key) {
        pointer += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    }
    return pointer;
}

void fail_at_pointer(std::string_view origin, std::string_view pointer, const Message& problem) {
    constexpr std::size_t longest = 200;
    if (pointer.empty()) {
        throw Error("{}: {}", printable(origin), problem);
    }
    throw Error("{}: at {}: {}", printable(origin), printable(pointer, longest), problem);
}

}  // namespace attn
