// The words, numbers and signs of a paste, each with its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
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

// The most tokens of a paste. Each number of the most that are read takes two, with its comma or bracket.
inline constexpr std::size_t max_tokens = 2'000'000;

// Returns the tokens of all lines that are not code, or max_tokens + 1. Quotes are dropped. Broken numbers
// such as `0. 5517` and `0,4483` are joined if the numbers around them leave no doubt.
std::vector<Token> tokens_of(std::string_view text, std::span<const Line> lines);

// Returns true if the token is the word before the bracket in `torch.tensor(…`.
bool begins_call(std::string_view text, std::span<const Token> tokens, std::size_t at);

}  // namespace attn
