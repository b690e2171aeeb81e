// The walkthrough as one page for a browser. It uses no network, reads as text and tables without a script,
// and has the same bytes for the same trace. Layout, style and script are files of data/page/; the content is
// written here.
#pragma once

#include <span>
#include <string>

#include "views/format.hpp"

namespace attn {

// A variant of a stage: a second run with something switched off, shown next to the original run.
struct PageVariant {
    std::string id;  // "mask", "scaling" or "dropout"
    StageTrace trace;
};

void write_page(const WriteBytes& write, const Trace& trace, std::span<const PageVariant> variants,
                const Style& style);

// Returns the data of a page: titles, notes, formulas, code, numbers, and the lines of arithmetic of every
// cell. The page shows these texts; it computes nothing. The JSON has no white space. A tensor has the texts
// of its shown cells, row by row, and their kinds. Each cell has the indices of its lines in the run's
// "arithmetic". A line is [label, [piece, …], result, sign, remark]; a sentence has only its label. A piece
// is a text, or [text, tensor, cell] for a number of a shown cell.
std::string page_data(const Trace& trace, std::span<const PageVariant> variants, const Style& style);

}  // namespace attn
