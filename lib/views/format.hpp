// The interface of all output formats.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

#include "stages/trace.hpp"
#include "tensor/tensor_text.hpp"

namespace attn {

// The language of the texts, and the precision of the numbers.
struct Style {
    std::string_view language = "en";
    PrintOptions print = {};
    std::optional<std::size_t> head = {};  // terminal and pictures show only this head of the first sequence
};

// Receives the output, part by part.
using WriteBytes = std::function<void(std::string_view)>;

// Writes the shown steps of all stages.
using Format = void (*)(const WriteBytes& write, const Trace& trace, const Style& style);

// Writes the trace as JSON, for programs: everything that the text shows, and every number. The same trace
// always gives the same bytes. `style` sets the language of titles and notes, and the digits of "printed";
// "data" always has all digits.
void write_json(const WriteBytes& write, const Trace& trace, const Style& style);

// Write the shown steps as arrays called <stage>.<step>: numpy.load("trace.npz")["causal.attn_weights"],
// safetensors.torch.load_file("trace.safetensors")["causal.attn_weights"]. The metadata of the second contain
// the program's version, and the parameters of each stage as JSON.
void write_npz(const WriteBytes& write, const Trace& trace, const Style& style);
void write_safetensors(const WriteBytes& write, const Trace& trace, const Style& style);

// Throws Error for a trace that the format cannot show. A format without this function can show every trace.
using Requirement = void (*)(const Trace& trace);

}  // namespace attn
