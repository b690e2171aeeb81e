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
    absent,   // written where there is no number: `NA`, `null`, a point
    word,
    string,  // of JSON, unless it holds a number
    open,    // [ ( {
    close,   // ] ) }
    comma,
    semicolon,
    gap,      // ...
    row_end,  // \\ of LaTeX
    command,  // \begin{pmatrix} and the like
    sign,     // other signs; several of one kind are one token
};

struct Token {
    TokenKind kind;
    char sign = '\0';         // its first character
    bool mended = false;      // a number with a blank in it
    std::uint32_t line = 0;   // index of its line
    std::uint32_t begin = 0;  // in the text
    std::uint32_t end = 0;
    PrintedNumber number{};

    bool is(TokenKind one, char first) const { return kind == one && sign == first; }
    bool is_number() const { return kind == TokenKind::number; }
    bool is_whole() const { return is_number() && number.notation == PrintedNumber::Notation::whole; }
    bool is_fraction() const { return is_number() && number.notation == PrintedNumber::Notation::fixed; }
};

// The tokens of lines that are no code. Quotes are left out, except in JSON, where they delimit strings.
// Numbers that were misread or broken are mended where the numbers beside them leave no doubt: `0.2lOO`,
// `0. 5517`, `0,4483`.
std::vector<Token> tokens_of(std::string_view text, std::span<const Line> lines, bool json);

}  // namespace attn
