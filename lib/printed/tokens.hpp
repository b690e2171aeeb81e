// The words, numbers and signs of a paste, each with its place.
#pragma once

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
    open,   // [ ( {
    close,  // ] ) }
    comma,
    semicolon,
    gap,      // ...
    row_end,  // \\ of LaTeX
    command,  // \begin{pmatrix} and the like
    sign,     // any other sign; equal signs in a row form one token
};

struct Token {
    TokenKind kind;
    char sign = '\0';         // the first character of a sign
    bool mended = false;      // a blank was removed from the number
    std::uint32_t line = 0;   // index of the token's line
    std::uint32_t begin = 0;  // the token's position in the text
    std::uint32_t end = 0;
    PrintedNumber number{};

    bool is(TokenKind one, char first) const { return kind == one && sign == first; }
    bool is_number() const { return kind == TokenKind::number; }
    bool is_whole() const { return is_number() && number.notation == PrintedNumber::Notation::whole; }
    bool is_fraction() const { return is_number() && number.notation == PrintedNumber::Notation::fixed; }
};

// Returns the tokens of all lines that are not code. Quotes are dropped. Misread or broken numbers such as
// `0.2lOO`, `0. 5517` and `0,4483` are repaired if the numbers around them leave no doubt.
std::vector<Token> tokens_of(std::string_view text, std::span<const Line> lines);

}  // namespace attn
