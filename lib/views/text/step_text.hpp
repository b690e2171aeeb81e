// The walkthrough as text for a terminal.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "stages/trace.hpp"
#include "tensor/tensor_text.hpp"
#include "text/prose.hpp"
#include "views/heatmap/heatmap_text.hpp"
#include "views/text/row_window.hpp"
#include "words/narration.hpp"

namespace attn {

struct SessionStyle {
    std::optional<HeatmapStyle> heatmaps = {};  // heat maps that replace the printed tensors
    std::optional<RowWindow> window = {};       // the rows of each tensor to print
    std::size_t columns = prose_width;          // the width at which prose is wrapped
    bool colour = false;                        // colours headings and code
    bool is_excerpt = false;                    // shows single steps, without the lines before them
};

// Returns the text of a stage: its setup; then each step with title, note, formula, code and tensor, and the
// layout of a tensor of higher rank; then suggestions. Unless it is an excerpt, the text of a PyTorch stage
// is a Python doctest. C++ is indented by four spaces.
std::string stage_text(const StageTrace& trace, const Narration& words, const PrintOptions& options,
                       const SessionStyle& style = {});

// Returns only the tensors, with a blank line between them.
std::string tensors_text(const StageTrace& trace, const PrintOptions& options,
                         const std::optional<RowWindow>& window = std::nullopt);

// Returns the same as heat maps; a single number is printed.
std::string heatmaps_text(const StageTrace& trace, const Words& phrases, const PrintOptions& options,
                          const HeatmapStyle& style);

}  // namespace attn
