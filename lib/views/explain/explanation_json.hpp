// Explanations for programs: a tree of cells, in which each line of arithmetic has all its operands.
#pragma once

#include <string>
#include <string_view>

#include "stages/trace.hpp"
#include "tensor/tensor_text.hpp"
#include "views/explain/explanation.hpp"

namespace attn {

std::string explanation_json(const StageTrace& trace, const Explanations& cells, std::string_view language,
                             const PrintOptions& options);

}  // namespace attn
