// A document as a Jupyter notebook, nbformat 4.5. Titles, notes and formulas are Markdown cells. The lines of
// a step are a code cell, with the printed tensor as its stored output. An answer to an exercise is a code
// cell.
#pragma once

#include "views/document/blocks.hpp"

namespace attn {

void write_ipynb(const WriteBytes& write, const Blocks& blocks, const Style& style);

// Throws Error unless the code is Python, which a notebook runs.
void require_python(const Trace& trace);

}  // namespace attn
