// Explains a cell: how it is derived, and how the cells that it uses are derived, down to a given depth.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/json_value.hpp"
#include "stages/trace.hpp"
#include "views/explain/arithmetic_text.hpp"
#include "views/format.hpp"

namespace attn {

struct ExplainedLine {
    DerivationLine line;
    ArithmeticText text;
};

struct ExplainedCell {
    std::size_t node;  // the node of a named tensor
    Index index;
    std::vector<std::pair<std::string_view, std::string>> reasons;  // ids and sentences
    std::vector<ExplainedLine> lines;                               // the last line computes the cell
    std::vector<std::size_t> operands;  // indices of the explained cells that this one uses, in order
};

// The requested cell comes first. A cell that several others use is explained once.
using Explanations = std::vector<ExplainedCell>;

// `depth` 1 explains only the cell, 2 also the named cells that it uses, and so on. Cells in terms that are
// left out of a line are not explained. Throws Error if there would be too many cells to read.
Explanations explain(const StageTrace& trace, std::size_t node, const Index& cell, std::size_t depth,
                     const Style& style);

// Returns explanations as text. Each cell has its place, its line of code, its reasons, and its arithmetic,
// one equation per line. A cell is indented below the cell that uses it.
std::string explanation_text(const StageTrace& trace, const Explanations& cells, const Style& style);

// Returns explanations for programs: a tree of cells, in which each line of arithmetic has all its operands.
std::string explanation_json(const StageTrace& trace, const Explanations& cells);
// Returns another answer of explain in the same format; `stage` is empty if it is about no single stage.
std::string explanation_json(Json answer, std::string_view stage = "");

}  // namespace attn
