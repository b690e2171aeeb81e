// The contract of every format that a trace is handed on in.
#pragma once

#include <functional>
#include <string_view>

#include "stages/trace.hpp"
#include "tensor/tensor_text.hpp"

namespace attn {

// In which language a trace is told, and with how many digits it prints.
struct Style {
    std::string_view language = "en";
    PrintOptions print = {};
};

// Where the bytes go, part by part.
using WriteBytes = std::function<void(std::string_view)>;

// Writes the steps shown of all stages.
using Format = void (*)(const WriteBytes& write, const Trace& trace, const Style& style);

// Throws Error for a trace that a format cannot show; of one that shows every trace there is none.
using Requirement = void (*)(const Trace& trace);

}  // namespace attn
