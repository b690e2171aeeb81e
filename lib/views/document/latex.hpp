// The walkthrough as a complete LaTeX document with amsmath; printed tensors become matrices.
#pragma once

#include <string>

#include "views/document/sheet.hpp"

namespace attn {

// Returns prose in which every character that LaTeX might read as a command is escaped. Characters missing
// from its plain fonts use the document's own \character, for engines that have them.
std::string latex_prose(std::string_view text);

// Returns the matrices of a tensor, with the numbers as print() shows them. Beyond 10 rows or columns, or 7
// in scientific notation, only the first and last three are shown, as in PyTorch's summaries.
std::string latex_matrices(const Tensor& x, const PrintOptions& options);

void write_latex(const WriteBytes& write, const Trace& trace, const Style& style);
void write_latex_sheet(const WriteBytes& write, const Sheet& sheet, const Style& style);

}  // namespace attn
