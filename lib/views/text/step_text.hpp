// The walkthrough as a person reads it in a terminal.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "stages/trace.hpp"
#include "tensor/tensor_text.hpp"
#include "views/heatmap/heatmap_text.hpp"
#include "views/text/row_window.hpp"
#include "words/narration.hpp"

namespace attn {

// What PyTorch prints for the tensor of a step, or for the slice of it that holds the rows in the window;
// what autograd knows of it only where the code is PyTorch's. A single number has no rows and stays as it is.
std::string printed(const StageTrace& trace, const Node& step, const PrintOptions& options,
                    const std::optional<RowWindow>& window = std::nullopt);

// A statement; of a literal with many rows or columns the middle is left out, as PyTorch prints a large
// tensor. JSON has all of it.
std::string excerpt(std::string_view statement, const Words& phrases);

// A stage: its set-up, then each step with title, note, formula, code and tensor, and for a tensor of higher
// rank its layout. For a stage of matrices the text is a Python doctest; C++ is set in by four spaces. With
// `heatmaps` each tensor is one instead of what print answers; with `window` what is printed is that slice of
// each.
std::string stage_text(const StageTrace& trace, const Narration& words, const PrintOptions& options,
                       const std::optional<HeatmapStyle>& heatmaps = std::nullopt,
                       const std::optional<RowWindow>& window = std::nullopt);

// The lines before the first step, what makes PyTorch print as `options` say among them.
std::vector<std::string> session_setup(const StageTrace& trace, const PrintOptions& options);

// Nothing but the tensors, a blank line between them.
std::string tensors_text(const StageTrace& trace, const PrintOptions& options,
                         const std::optional<RowWindow>& window = std::nullopt);

// The same as heat maps; a single number stays one.
std::string heatmaps_text(const StageTrace& trace, const Words& phrases, const PrintOptions& options,
                          const HeatmapStyle& style);

}  // namespace attn
