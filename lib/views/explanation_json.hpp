// Explanations for programs: a tree of cells, each line of arithmetic with all its operands.
#pragma once

#include <string_view>

#include "io/json_writer.hpp"
#include "views/explanation.hpp"
#include "views/tensor_text.hpp"
#include "walkthrough/trace.hpp"

namespace attn {

void write_explanation(JsonWriter& json, const StageTrace& trace, const Lesson& lesson,
                       const Explanations& cells, std::string_view language, const PrintOptions& options);

}  // namespace attn
