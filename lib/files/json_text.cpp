#include "files/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "files/located.hpp"

namespace attn {

namespace {

// nlohmann's message is "[…] parse error at line 1, column 5: syntax error while parsing value - unexpected
// ']'; expected …" or "… - invalid literal; last read: '…'". Its middle is good; the place, and the text
// shown, are better told by us.
std::string reason(std::string_view message) {
    if (const std::size_t dash = message.find(" - "); dash != std::string_view::npos) {
        message.remove_prefix(dash + 3);
    }
    std::string words(message.substr(0, message.find("; last read: ")));
    for (const std::string_view closing : {"expected ']'", "expected '}'"}) {
        if (words.ends_with(closing)) {
            words.insert(words.size() - 3, "',' or ");
        }
    }
    return words;
}

// How many of the bytes read last are the trouble: all of a token in the wrong place, one of a malformed one.
// Only for strings and numbers does `token` hold the token and nothing before it.
std::size_t length_read(std::string_view reason, std::string_view token) {
    if (reason.starts_with("unexpected string") || reason.starts_with("unexpected number")) {
        return token.size();
    }
    for (const std::string_view word : {"true", "false", "null"}) {
        if (reason.starts_with("unexpected " + std::string(word))) {
            return word.size();
        }
    }
    return 1;
}

bool is_letter(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

// The word the parser stumbled over, of which it may have read the beginning; empty when it is none.
std::string_view word_around(std::string_view text, std::size_t offset) {
    std::size_t begin = offset;
    while (begin > 0 && is_letter(text[begin - 1])) {
        --begin;
    }
    std::size_t end = offset;
    while (end < text.size() && is_letter(text[end])) {
        ++end;
    }
    return text.substr(begin, end - begin);
}

bool is_not_finite(std::string_view word) {
    constexpr std::array<std::string_view, 6> words{"NaN", "nan", "Infinity", "inf", "Inf", "NAN"};
    return std::ranges::find(words, word) != words.end();
}

// What the writer most likely did, judged by the character the parser stumbled over; a sentence or nothing.
std::string_view hint(std::string_view reason, std::string_view text, std::size_t offset) {
    const char at = offset < text.size() ? text[offset] : '\0';
    const std::size_t last = text.substr(0, offset).find_last_not_of(" \t\r\n");
    const char before = last == std::string_view::npos ? '\0' : text[last];
    if ((at == ']' || at == '}') && before == ',') {
        return " JSON has no comma after the last element.";
    }
    if (at == '/' || at == '#') {
        return " JSON has no comments.";
    }
    if (!reason.starts_with("invalid literal") && !reason.starts_with("invalid number")) {
        return "";
    }
    if (at == '\'') {
        return " JSON strings stand in double quotes.";
    }
    return is_letter(at) ? " The only words outside quotes are true, false and null." : "";
}

}  // namespace

void fail_to_parse(std::string_view text, std::size_t position, const std::string& token,
                   std::string_view message, bool complete, std::string_view origin) {
    const std::string words = reason(message);
    std::size_t offset = position - length_read(words, token);
    if (words.starts_with("unexpected end of input")) {
        offset = text.find_last_not_of(" \t\r\n") + 1;  // behind the last thing that is there
    }
    const std::string_view comment = hint("", text, offset);
    if (complete) {
        fail_at(text, offset, origin, fmt::format("more text behind the end of the JSON.{}", comment));
    }
    if (const std::string_view word = word_around(text, offset); is_not_finite(word)) {
        const auto begin = static_cast<std::size_t>(word.data() - text.data());
        fail_at(text, begin, origin, fmt::format("{} is no JSON number; expected a finite one.", word));
    }
    fail_at(text, offset, origin, fmt::format("{}.{}", words, hint(words, text, offset)));
}

}  // namespace attn
