// The walkthrough as a Jupyter notebook, nbformat 4.5. Titles, notes and formulas are Markdown cells. The
// lines of a step are a code cell, with the printed tensor as its stored output.
#pragma once

#include "views/document/sheet.hpp"

namespace attn {

void write_ipynb(const WriteBytes& write, const Trace& trace, const Style& style);

// Writes a cell for the answer below each task; the last cell saves all answers to answers.json.
void write_ipynb_sheet(const WriteBytes& write, const Sheet& sheet, const Style& style);

// Throws Error unless the code is Python, which a notebook runs.
void require_python(const Trace& trace);

}  // namespace attn
