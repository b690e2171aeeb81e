// Finds line and column of a byte and draws the line with its caret.
#include "files/located.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "tensor/error.hpp"
#include "text/printable.hpp"
#include "text/utf8.hpp"
#include "text/width.hpp"

namespace attn {

namespace {

std::size_t code_points(std::string_view text) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < text.size(); ++count) {
        i += decode_utf8(text, i).length;
    }
    return count;
}

// The last `most` code points of a text.
std::string_view tail(std::string_view text, std::size_t most) {
    std::size_t begin = 0;
    for (std::size_t count = code_points(text); count > most; --count) {
        begin += decode_utf8(text, begin).length;
    }
    return text.substr(begin);
}

// As it is shown: on one line, tabs as wide as a space.
std::string shown(std::string_view text, std::size_t most) {
    std::string line(text);
    std::replace(line.begin(), line.end(), '\t', ' ');
    return printable(line, most);
}

}  // namespace

void fail_at(std::string_view text, std::size_t offset, std::string_view origin, const Message& problem) {
    const std::size_t begin = offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;  // npos + 1 is 0
    const std::string_view before = text.substr(begin, offset - begin);
    std::string_view after = text.substr(offset, text.find('\n', offset) - offset);
    if (after.ends_with('\r')) {
        after.remove_suffix(1);
    }
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n');

    constexpr std::size_t window_before = 60;
    constexpr std::size_t window_after = 20;
    const std::string_view near = tail(before, window_before);
    const std::string left = (near.size() < before.size() ? "…" : "") + shown(near, window_before);
    throw Error("{}:{}:{}: {}\n  {}{}\n  {}^", printable(origin), line, code_points(before) + 1, problem,
                left, shown(after, window_after), std::string(display_width(left), ' '));
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
