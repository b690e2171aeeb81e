// Finds the end of escape sequences by the rules of ECMA-48. If a sequence has no end, only the rest of its
// line is removed.
#include "text/terminal.hpp"

#include <algorithm>

namespace attn {

namespace {

constexpr char escape = '\x1b';

bool between(char c, char first, char last) {
    return first <= c && c <= last;
}

// Returns the position after the escape sequence that starts at `at`.
std::size_t skip_escape(std::string_view text, std::size_t at) {
    std::size_t i = at + 1;
    if (i == text.size()) {
        return i;
    }
    const char kind = text[i++];
    if (kind == '[') {
        while (i < text.size() && between(text[i], ' ', '?')) {
            ++i;
        }
        return i < text.size() && between(text[i], '@', '~') ? i + 1 : i;
    }
    if (kind == ']') {
        while (i < text.size() && text[i] != '\a' && text[i] != '\n' && text[i] != escape) {
            ++i;
        }
        const bool ends_in_backslash = text.substr(i, 2) == "\x1b\\";
        return std::min(text.size(), i + (ends_in_backslash                    ? 2
                                          : i < text.size() && text[i] == '\a' ? 1
                                                                               : 0));
    }
    if (between(kind, ' ', '/')) {  // such as `ESC ( B`
        return std::min(text.size(), i + 1);
    }
    return i;
}

}  // namespace

std::string without_escapes(std::string_view text) {
    std::string plain;
    plain.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t next = std::min(text.find(escape, i), text.size());
        plain += text.substr(i, next - i);
        i = next == text.size() ? next : skip_escape(text, next);
    }
    return plain;
}

}  // namespace attn
