// Numbers in rows as people retype and cut them: bare, as CSV, in Markdown's and LaTeX's tables, and what is
// left of a printed tensor that begins or ends in the middle. What is bracketed well is list.hpp's.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "printed/list.hpp"

namespace attn {

struct PrintedRows {
    PrintedList list;                    // (rows, columns), or one axis where there is one row or column
    std::vector<ListProblem> skipped{};  // rows of another length than most, and one that is cut off
    std::size_t rows = 0;
    bool fractions = false;  // whether there is a number that is not whole
    bool too_many = false;   // numbers, of which none is read
};

// The rows that begin with the line at text[at]; nothing where that line is none. A row may begin with a
// label, and the first column, if it only counts the rows, is none. At most `room` numbers. In `lists`
// brackets may open. `list.end` is behind the last line.
std::optional<PrintedRows> read_rows(std::string_view text, std::size_t at, std::size_t room, bool lists);

}  // namespace attn
