// Walks over the text once, and looks no further ahead than the longest tag.
#include "printed/typography.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "text/ascii.hpp"

namespace attn {

namespace {

struct Substitute {
    std::string_view written;
    std::string_view meant;  // no longer
    bool at_end = false;     // blanks come before what is meant, not behind
};

constexpr std::array substitutes{
    Substitute{"\u201c", "\"", true},  // quotes that open belong to what follows
    Substitute{"\u2018", "'", true},  Substitute{"\u201d", "\""},
    Substitute{"\u2019", "'"},        Substitute{"\u2010", "-", true},  // hyphens and dashes
    Substitute{"\u2011", "-", true},  Substitute{"\u2012", "-", true},
    Substitute{"\u2013", "-", true},  Substitute{"\ufe63", "-", true},
    Substitute{"\uff0d", "-", true},  Substitute{"\uff0c", ","},  // of Chinese
    Substitute{"\u3001", ","},        Substitute{"\uff1b", ";"},
    Substitute{"\uff08", "("},        Substitute{"\uff09", ")"},
    Substitute{"\uff3b", "["},        Substitute{"\uff3d", "]"},
    Substitute{"\u3010", "["},        Substitute{"\u3011", "]"},
    Substitute{"\uff1a", ":"},        Substitute{"\uff1d", "="},
    Substitute{"\uff05", "%"},        Substitute{"\u2028", ""},
    Substitute{"\u202f", ""},         Substitute{"\u205f", ""},
    Substitute{"\u3000", ""},         Substitute{"\ufeff", ""},
    Substitute{"\u3002", ""},  // a full stop ends a row as a line does
    Substitute{"&nbsp;", ""},         Substitute{"&#160;", ""},
    Substitute{"&lt;", "<"},          Substitute{"&gt;", ">"},
    Substitute{"&amp;", "&"},         Substitute{"&quot;", "\""},
    Substitute{"&minus;", "-", true}, Substitute{"&#8722;", "-", true},
    Substitute{"&ndash;", "-", true},
};

// Those whose text people copy with them; what else stands in angle brackets is none: `grad_fn=<…>`.
constexpr std::array tags{"table", "thead", "tbody", "tr",   "td",   "th", "br", "pre", "div",
                          "span",  "p",     "code",  "html", "body", "b",  "ul", "ol",  "li"};

void put(std::string& text, std::size_t at, std::size_t length, std::string_view meant, bool at_end) {
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(at);
    std::fill_n(begin, length, ' ');
    std::ranges::copy(meant, begin + static_cast<std::ptrdiff_t>(at_end ? length - meant.size() : 0));
}

// The length of the tag there; 0: it is none.
std::size_t tag_length(std::string_view text) {
    constexpr std::size_t longest = 400;
    const std::size_t name_begin = text.substr(1).starts_with('/') ? 2 : 1;
    std::size_t name_end = name_begin;
    while (name_end < text.size() && is_lower(text[name_end])) {
        ++name_end;
    }
    const std::string_view name = text.substr(name_begin, name_end - name_begin);
    const std::size_t end = text.substr(0, longest).find('>', name_end);
    return end == std::string_view::npos || std::ranges::find(tags, name) == tags.end() ? 0 : end + 1;
}

// Box-drawing lines are upright, or they lie.
char of_box(std::string_view three_bytes) {
    constexpr std::array upright{"\u2502", "\u2503", "\u2506", "\u2507", "\u250a", "\u250b", "\u2551"};
    return std::ranges::find(upright, three_bytes) != upright.end() ? '|' : '-';
}

char full_width(std::string_view text) {
    constexpr std::string_view page = "\uff0e";  // which digits and the point share the first two bytes with
    if (text.size() < 3 || text.substr(0, 2) != page.substr(0, 2)) {
        return '\0';
    }
    const auto last = static_cast<unsigned char>(text[2]);
    constexpr unsigned char point = 0x8e;
    constexpr unsigned char zero = 0x90;
    return last == point                      ? '.'
           : last >= zero && last <= zero + 9 ? static_cast<char>('0' + last - zero)
                                              : '\0';
}

constexpr std::string_view wide_minus = "\uff0d";

bool begins_wide_number(std::string_view text) {
    return full_width(text) != '\0' ||
           (text.starts_with(wide_minus) && full_width(text.substr(wide_minus.size())) != '\0');
}

// Digits and points of full width that follow each other are one number.
std::size_t narrow(std::string& text, std::size_t at) {
    const bool negative = std::string_view(text).substr(at).starts_with(wide_minus);
    std::size_t end = at + (negative ? wide_minus.size() : 0);
    std::string number = negative ? "-" : "";
    for (char c = full_width(std::string_view(text).substr(end)); c != '\0';
         c = full_width(std::string_view(text).substr(end))) {
        number += c;
        end += 3;
    }
    put(text, at, end - at, number, true);
    return end - at;
}

}  // namespace

void make_ascii(std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view rest = std::string_view(text).substr(at);
        const auto byte = static_cast<unsigned char>(rest[0]);
        if (byte < 0x80 && byte != '&' && byte != '<') {
            ++at;
            continue;
        }
        if (byte == '<') {
            const std::size_t length = tag_length(rest);
            const bool ends_row = rest.starts_with("</tr");
            put(text, at, length, ends_row ? "\\\\" : "", false);
            at += std::max<std::size_t>(length, 1);
            continue;
        }
        constexpr std::string_view boxes = "\u2500";  // up to U+257F they share the first byte
        if (rest.size() >= 3 && rest[0] == boxes[0] &&
            (rest[1] == boxes[1] || static_cast<unsigned char>(rest[1]) == 0x95)) {
            const char line = of_box(rest.substr(0, 3));
            put(text, at, 3, {&line, 1}, false);
            at += 3;
            continue;
        }
        if (begins_wide_number(rest)) {
            at += narrow(text, at);
            continue;
        }
        // Spaces of other widths, U+2000 to U+200B.
        const bool is_space =
            rest.size() >= 3 && rest.starts_with("\xe2\x80") && static_cast<unsigned char>(rest[2]) <= 0x8b;
        const auto found = std::ranges::find_if(
            substitutes, [&](const Substitute& one) { return rest.starts_with(one.written); });
        if (is_space) {
            put(text, at, 3, "", false);
            at += 3;
        } else if (found != substitutes.end()) {
            put(text, at, found->written.size(), found->meant, found->at_end);
            at += found->written.size();
        } else {
            ++at;
        }
    }
}

}  // namespace attn
