// The rows of numbers in a text. Brackets end rows; without brackets, lines do. Brackets need not match: a
// paste may have lost its first or last lines.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "printed/tokens.hpp"

namespace attn {

struct Row {
    std::vector<Token> numbers{};
    std::size_t opens = 0;                   // brackets between the row before and this one
    std::size_t closes = 0;                  // brackets between this row and the next
    std::optional<std::size_t> gap{};        // how many numbers precede `...`
    std::optional<std::size_t> gap_after{};  // rows are left out behind so many of the closing brackets
    std::optional<std::size_t> misread{};    // the place in the text of a word between the numbers
    bool is_cut = false;                     // the text ends within the row

    std::size_t count() const { return numbers.size(); }
};

struct PastedRows {
    std::vector<Row> all{};
    std::size_t end = 0;     // the token behind them
    bool are_lines = false;  // lines ended them
    int missing = 0;         // brackets that are not closed
};

// Reads the rows from this bracket, or from this number of a row without its bracket, to the last bracket
// that belongs to them. Lists follow each other as rows if their outer brackets are lost, but not in a call.
PastedRows rows_in_brackets(const Paste& paste, std::size_t at, bool in_call);

// Reads lines of numbers, each perhaps behind a label such as `Your | `, `journey: ` or R's `[1,]`. No rows
// if the line that begins here is not one.
PastedRows rows_in_lines(const Paste& paste, std::size_t at);

}  // namespace attn
