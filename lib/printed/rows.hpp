// Numbers in rows without brackets: bare, as CSV, in tables of Markdown and LaTeX, and the rows of a list
// whose brackets do not match.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "printed/list.hpp"

namespace attn {

struct PrintedRows {
    PrintedList list{};                   // (rows, columns), or one axis if there is one row or column
    std::vector<ListProblem> rejected{};  // misread rows, rows of another length, and one that is cut off
    std::size_t rows = 0;
    bool fractions = false;  // there is a number that is not whole
};

// The rows that begin with the line of tokens[at]; nothing if that line is none. A row may begin with a
// label. A first column that counts the rows, and a heading that counts the columns, are left out. Above the
// diagonal of a triangle there are zeros. With `brackets`, rows may be in brackets.
std::optional<PrintedRows> read_rows(std::span<const Token> tokens, std::span<const Line> lines,
                                     std::size_t at, bool brackets);

// Cells on a line each, `0 1 0.1646` or `w[0][1] = 0.1646`, which fill a matrix or a triangle.
std::optional<PrintedRows> read_cells(std::span<const Token> tokens, std::size_t at);

}  // namespace attn
