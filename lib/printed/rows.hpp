// Reads rows of numbers without brackets: bare rows, CSV, tables of Markdown and LaTeX, and the rows of a
// list whose brackets do not match.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "printed/list.hpp"

namespace attn {

struct PrintedRows {
    PlacedTensor list{};                  // rows and columns; a single row or column has only one axis
    std::vector<ListProblem> rejected{};  // rows that were misread, truncated, or of a different length
    std::size_t rows = 0;
};

// Reads the rows that begin with the line of tokens[at]. Returns nothing if that line is not a row. A row may
// begin with a label. Row numbers in the first column and column numbers in a heading are left out. If the
// rows form a triangle, zeros fill it up to a square. If `brackets` is true, rows may be in brackets. Adds
// the number of tokens read to `tokens_read`, also if it returns nothing.
std::optional<PrintedRows> read_rows(std::span<const Token> tokens, std::span<const Line> lines,
                                     std::size_t at, bool brackets, std::size_t& tokens_read);

}  // namespace attn
