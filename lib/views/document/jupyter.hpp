// The walkthrough as a Jupyter notebook, nbformat 4.5. Titles, notes and formulas are Markdown cells; the
// lines of a step are a code cell, with the printed tensor as its stored output.
#pragma once

#include "views/document/sheet.hpp"

namespace attn {

void write_ipynb(const WriteBytes& write, const Trace& trace, const Style& style);

// Below each task a cell for the answer; the last cell writes them all to answers.json.
void write_ipynb_sheet(const WriteBytes& write, const Sheet& sheet, const Style& style);

// A notebook is run by Python.
void require_python(const Trace& trace);

}  // namespace attn
