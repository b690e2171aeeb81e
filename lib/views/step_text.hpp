// The walkthrough as a person reads it in a terminal.
#pragma once

#include <string>

#include "views/narration.hpp"
#include "views/tensor_text.hpp"
#include "walkthrough/trace.hpp"

namespace attn {

// What PyTorch prints for the tensor of a node.
std::string printed(const Node& node, const PrintOptions& options);

// A stage: its set-up, then each step with title, note, formula, code and tensor, and for a tensor of higher
// rank its layout. For a stage of matrices the text is a Python doctest.
std::string stage_text(const StageTrace& trace, const Lesson& lesson, const StageWords& words,
                       const PrintOptions& options);

// The lines before the first step, what makes PyTorch print as `options` say among them.
std::vector<std::string> session_setup(const StageTrace& trace, const PrintOptions& options);

// Nothing but the tensors, a blank line between them.
std::string tensors_text(const StageTrace& trace, const PrintOptions& options);

}  // namespace attn
