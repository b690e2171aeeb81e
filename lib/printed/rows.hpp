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
    PrintedList list{};                   // (rows, columns), or one axis if there is only one row or column
    std::vector<ListProblem> rejected{};  // misread rows, rows of a different length, and a truncated row
    std::size_t rows = 0;
    bool fractions = false;  // some number is not whole
};

// Reads the rows that begin with the line of tokens[at]. Returns nothing if that line is not a row. A row may
// begin with a label. A first column that counts the rows, and a heading that counts the columns, are left
// out. The missing numbers above the diagonal of a triangle become zeros. With `brackets`, rows may be in
// brackets.
std::optional<PrintedRows> read_rows(std::span<const Token> tokens, std::span<const Line> lines,
                                     std::size_t at, bool brackets);

// Reads cells that fill a matrix or a triangle, one per line: `0 1 0.1646` or `w[0][1] = 0.1646`.
std::optional<PrintedRows> read_cells(std::span<const Token> tokens, std::size_t at);

}  // namespace attn
