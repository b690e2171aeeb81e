// Explanations to be read: every cell with its place, its line of code, what a reader should know, and the
// arithmetic, one equation to a line. A cell used by another stands indented below it.
#pragma once

#include <string>
#include <string_view>

#include "stages/trace.hpp"
#include "tensor/tensor_text.hpp"
#include "views/explain/explanation.hpp"

namespace attn {

std::string explanation_text(const StageTrace& trace, const Explanations& cells, std::string_view language,
                             const PrintOptions& options);

}  // namespace attn
