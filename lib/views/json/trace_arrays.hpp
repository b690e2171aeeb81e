// Writes the trace as arrays for NumPy and PyTorch. Each shown step is an array called <stage>.<step>.
#pragma once

#include "views/format.hpp"

namespace attn {

// Writes a .npz file: numpy.load("trace.npz")["causal.attn_weights"].
void write_npz(const WriteBytes& write, const Trace& trace, const Style& style);

// Writes a .safetensors file: safetensors.torch.load_file("trace.safetensors")["causal.attn_weights"]. Its
// metadata contain the program's version, and the parameters of each stage as JSON.
void write_safetensors(const WriteBytes& write, const Trace& trace, const Style& style);

}  // namespace attn
