// A document as a Jupyter notebook, nbformat 4.5. Titles, notes and formulas are Markdown cells. The code of
// a step is a code cell, and the printed tensor is its stored output. An answer to an exercise is a code
// cell.
#pragma once

#include "views/document/blocks.hpp"

namespace attn {

void write_ipynb(const WriteBytes& write, const Blocks& blocks, const Style& style);

// Throws Error unless the code is Python, because notebooks run Python.
void require_python(const Trace& trace);

}  // namespace attn
