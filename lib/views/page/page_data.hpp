// The data of a page: titles, notes, formulas, code, numbers, and the lines of arithmetic of every cell. The
// page shows these texts; it computes nothing.
#pragma once

#include <span>
#include <string>

#include "views/page/page.hpp"

namespace attn {

// Returns JSON without white space. A tensor has the texts of its shown cells, row by row, and for each cell
// the indices of its lines in the run's "arithmetic". A line is [label, [piece, …], result, sign, remark]; a
// sentence has only its label. A piece is a text, or [text, tensor, cell] for a number of a shown cell.
std::string page_data(const Trace& trace, std::span<const PageVariant> variants, const Style& style);

}  // namespace attn
