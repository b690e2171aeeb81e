// The trace as arrays, for NumPy and PyTorch: every step shown, in full, under the name <stage>.<step>.
#pragma once

#include "views/format.hpp"

namespace attn {

// A .npz: numpy.load("trace.npz")["causal.attn_weights"].
void write_npz(const WriteBytes& write, const Trace& trace, const Style& style);

// A .safetensors: safetensors.torch.load_file("trace.safetensors")["causal.attn_weights"]. Its metadata say
// which program wrote it, and, under the name of each stage, with which parameters, as JSON.
void write_safetensors(const WriteBytes& write, const Trace& trace, const Style& style);

}  // namespace attn
