// The words, numbers and signs of a paste, each with its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "printed/lines.hpp"
#include "printed/number.hpp"

namespace attn {

enum class TokenKind : std::uint8_t {
    number,
    damaged,  // looks like a number: `0.2x`, `0.1.5`
    word,
    gap,      // ...
    command,  // \begin{pmatrix} and the like
    sign,     // a bracket, a comma, a semicolon, LaTeX's \\, or other signs, of which equal ones form a token
};

struct Token {
    TokenKind kind;
    char first = '\0';        // the first character
    bool mended = false;      // a blank was removed from the number
    std::uint32_t line = 0;   // index of the token's line
    std::uint32_t begin = 0;  // the token's position in the text
    std::uint32_t end = 0;
    PrintedNumber number{};

    // Returns true if the token is one of these signs.
    bool is(std::string_view signs) const {
        return kind == TokenKind::sign && signs.find(first) != std::string_view::npos;
    }
    bool opens() const { return is("[({"); }
    bool closes() const { return is("])}"); }
    bool is_number() const { return kind == TokenKind::number; }
    bool is_whole() const { return is_number() && number.notation == PrintedNumber::Notation::whole; }
    bool is_fraction() const { return is_number() && number.notation == PrintedNumber::Notation::fixed; }
};

// The token before the first one and behind the last. It belongs to no line.
inline constexpr Token nothing{.kind = TokenKind::sign, .line = std::numeric_limits<std::uint32_t>::max()};

// The most tokens of a paste. Each number of the most that are read takes two, with its comma or bracket.
inline constexpr std::size_t max_tokens = 2'000'000;

// A text with its lines, and the tokens of all lines that are not code. Quotes are dropped. Broken numbers
// such as `0. 5517` and `0,4483` are joined if the numbers around them leave no doubt.
struct Paste {
    // The text must outlive the paste. Reads no more than max_tokens + 1 tokens.
    explicit Paste(std::string_view text);

    std::string_view text;
    std::vector<Line> lines;
    std::vector<Token> tokens;

    // Returns `nothing` for places before the first token and behind the last.
    const Token& operator[](std::size_t at) const { return at < tokens.size() ? tokens[at] : nothing; }
    std::string_view text_of(const Token& token) const {
        return text.substr(token.begin, token.end - token.begin);
    }
    bool begins_line(std::size_t at) const { return (*this)[at - 1].line != (*this)[at].line; }
    // Returns the first of these signs from this token to the end of its line, or that end.
    std::size_t find_in_line(std::size_t at, std::string_view signs = "") const;
    // Returns true if the token is the word before the bracket in `torch.tensor(…`.
    bool begins_call(std::size_t at) const;
};

}  // namespace attn
