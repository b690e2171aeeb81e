// Explanations as text. Each cell has its place, its line of code, its reasons, and its arithmetic, one
// equation per line. A cell is indented below the cell that uses it.
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
