// The walkthrough as a person reads it in a terminal.
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
    std::optional<HeatmapStyle> heatmaps = {};  // instead of what print answers
    std::optional<RowWindow> window = {};       // the printed slice of each tensor
    std::size_t columns = prose_width;          // that prose wraps at
    bool colour = false;                        // of headings and code
    bool is_excerpt = false;                    // of single steps, without the lines that lead to them
};

// A stage: its set-up, then each step with title, note, formula, code and tensor, and for a tensor of higher
// rank its layout; then what to try next. For a stage of matrices the text is a Python doctest, but for an
// excerpt; C++ is set in by four spaces.
std::string stage_text(const StageTrace& trace, const Narration& words, const PrintOptions& options,
                       const SessionStyle& style = {});

// Nothing but the tensors, a blank line between them.
std::string tensors_text(const StageTrace& trace, const PrintOptions& options,
                         const std::optional<RowWindow>& window = std::nullopt);

// The same as heat maps; a single number stays one.
std::string heatmaps_text(const StageTrace& trace, const Words& phrases, const PrintOptions& options,
                          const HeatmapStyle& style);

}  // namespace attn
