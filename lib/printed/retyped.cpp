#include "printed/retyped.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "text/ascii.hpp"

namespace attn {

namespace {

constexpr std::string_view blank = " \t\r";

std::size_t digits_end(std::string_view text, std::size_t at) {
    while (at < text.size() && is_digit(text[at])) {
        ++at;
    }
    return at;
}

void blank_line_numbers(std::string& text) {
    struct LineNumber {
        std::size_t begin;
        std::size_t end;
    };
    std::vector<LineNumber> found;
    bool any_text = false;
    std::size_t last = 0;
    const std::string_view all = text;
    for (std::size_t begin = 0; begin < all.size();) {
        const std::size_t newline = std::min(all.find('\n', begin), all.size());
        const std::size_t first = std::min(all.find_first_not_of(blank, begin), newline);
        const std::size_t end = digits_end(all.substr(0, newline), first);
        if (first < newline) {
            constexpr std::size_t longest = 6;
            if (end == first || end - first > longest) {
                return;
            }
            const std::size_t number = std::stoul(text.substr(first, end - first));
            const char behind = end < newline ? all[end] : '\n';
            if ((!found.empty() && number != last + 1) ||
                std::string_view(" \t\r\n:|").find(behind) == std::string_view::npos) {
                return;
            }
            last = number;
            const std::size_t mark = end < newline && (behind == ':' || behind == '|') ? 1 : 0;
            found.push_back({first, end + mark});
            any_text = any_text || all.find_first_not_of(blank, end + mark) < newline;
        }
        begin = newline + 1;
    }
    if (found.size() < 2 || !any_text) {
        return;
    }
    for (const LineNumber& number : found) {
        std::fill(text.begin() + static_cast<std::ptrdiff_t>(number.begin),
                  text.begin() + static_cast<std::ptrdiff_t>(number.end), ' ');
    }
}

// Whether each comma stands within a number, `0,19`, and no number has a point.
bool has_decimal_commas(std::string_view text) {
    bool any = false;
    bool separated = false;  // by something else
    bool in_number = false;  // a comma has been in this one
    const auto digit_at = [&](std::size_t i) { return i < text.size() && is_digit(text[i]); };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '[' || c == '{' || (c == '.' && i > 0 && digit_at(i - 1) && digit_at(i + 1))) {
            return false;
        }
        if (c == ',') {
            if (in_number || i == 0 || !digit_at(i - 1) || !digit_at(i + 1)) {
                return false;
            }
            in_number = any = true;
            // Two columns of whole numbers look the same but for their length.
            separated = separated || digits_end(text, i + 1) - i > 2;
        } else if (!is_digit(c)) {
            separated =
                separated || (in_number && (c == ';' || c == '\t' || c == '|' || c == '&' || c == ' '));
            in_number = false;
        }
    }
    return any && separated;
}

void close_gaps(std::string& text) {
    for (std::size_t point = text.find(" ."); point != std::string::npos;
         point = text.find(" .", point + 1)) {
        std::size_t first = point;
        while (first > 0 && is_digit(text[first - 1])) {
            --first;
        }
        const bool within_number =
            first > 0 && (text[first - 1] == '.' || is_word_character(text[first - 1]));
        if (first == point || within_number || point + 2 == text.size() || !is_digit(text[point + 2])) {
            continue;
        }
        const std::size_t sign = first > 0 && text[first - 1] == '-' ? first - 1 : first;
        const auto at = [&](std::size_t i) { return text.begin() + static_cast<std::ptrdiff_t>(i); };
        std::rotate(at(sign), at(point), at(point + 1));
    }
}

}  // namespace

std::string as_printed(std::string text) {
    blank_line_numbers(text);
    if (has_decimal_commas(text)) {
        std::ranges::replace(text, ',', '.');
    }
    close_gaps(text);
    return text;
}

}  // namespace attn
