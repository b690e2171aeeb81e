// Finds cells by the address that a reader types, `attn_weights[1][0]` or `attn_weights[journey][Your]`, or
// by their printed number.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stages/trace.hpp"

namespace attn {

struct CellAddress {
    std::size_t node;
    Index index;
};

// Returns the cell of a step, or of a tensor between steps. As in Python, an index counts from 0, or from the
// end if it is negative. For an axis of tokens, a word of the sentence is possible, too. A whole number
// always counts as an index, never as a token. Throws Error when there is no such cell.
CellAddress find_cell(const StageTrace& trace, std::string_view address);

// These return the name of an address, how many indices it has, and its index in a notebook that is still
// being recorded.
std::string name_in(std::string_view address);
std::size_t count_indices(std::string_view address);  // 2 for keys[1][0] and keys[1, 0]
Index find_index(const Notebook& notebook, std::size_t node, std::string_view address);

bool is_number(std::string_view text);

// Returns the stage and the name of each shown cell that rounds to these digits, such as 0.5517
// or 4.5086e-05: causal and `keys[1][0]`. Digits without a point or an exponent must match exactly.
std::vector<std::pair<std::string_view, std::string>> cells_that_print(const Trace& trace,
                                                                       const std::string& digits);

}  // namespace attn
