// The walkthrough as text for a terminal.
#pragma once

#include <optional>
#include <string>

#include "stages/trace.hpp"
#include "text/prose.hpp"
#include "views/document/row_window.hpp"
#include "views/format.hpp"
#include "views/heatmap/heatmap_text.hpp"

namespace attn {

// The shown part of a stage: everything, only the chosen steps with their last lines of code, or one step. If
// this step is the first or the last of its stage, the introduction or the closing is shown, too.
enum class Extent { whole, steps, one };

struct SessionStyle {
    std::optional<HeatmapStyle> heatmaps = {};     // true: heat maps replace the printed tensors
    std::optional<RowWindow> window = {};          // the rows of each tensor to print
    std::size_t columns = prose_width;             // prose is wrapped at this width
    std::size_t code_columns = std::string::npos;  // longer lines of code are broken
    bool all_heads = true;                         // false: a long stage prints the first sequence and head
    bool colour = false;                           // colours headings and code
    bool map = true;                               // shows the map of the stage, and above each step
    bool code = true;                              // shows the lines of code
    Extent extent = Extent::whole;
    std::size_t step = 0;  // with Extent::one: the step's node
};

// Returns the text of a stage: setup, steps and suggestions. A step has title, note, formula, code and
// tensor, and the memory layout of a tensor of higher rank. The complete text of a PyTorch stage is a Python
// doctest. C++ code is indented by four spaces.
std::string stage_text(const StageTrace& trace, const Style& style, const SessionStyle& session = {});

// Returns only the tensors, or their heat maps, with a blank line between them.
std::string tensors_text(const StageTrace& trace, const Style& style, const SessionStyle& session = {});

}  // namespace attn
