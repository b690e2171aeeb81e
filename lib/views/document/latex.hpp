// The walkthrough as a LaTeX document of its own, with amsmath; what a step prints is set as matrices.
#pragma once

#include <string>

#include "views/document/sheet.hpp"

namespace attn {

// Prose with everything escaped that LaTeX might read as a command. Characters that its plain fonts lack go
// through the document's own \character, for engines that have them.
std::string latex_prose(std::string_view text);

// The matrices of a tensor, each number as print() shows it among the others. Beyond 10 rows or columns, or 7
// in scientific notation, only the first and last three, as in PyTorch's summaries.
std::string latex_matrices(const Tensor& x, const PrintOptions& options);

void write_latex(const WriteBytes& write, const Trace& trace, const Style& style);
void write_latex_sheet(const WriteBytes& write, const Sheet& sheet, const Style& style);

}  // namespace attn
