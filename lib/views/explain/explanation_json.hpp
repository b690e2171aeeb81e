// Explanations for programs: a tree of cells, each line of arithmetic with all its operands.
#pragma once

#include <string_view>

#include "files/json_writer.hpp"
#include "stages/trace.hpp"
#include "tensor/tensor_text.hpp"
#include "views/explain/explanation.hpp"

namespace attn {

void write_explanation(JsonWriter& json, const StageTrace& trace, const Explanations& cells,
                       std::string_view language, const PrintOptions& options);

}  // namespace attn
