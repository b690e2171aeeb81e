// RoPE's functions: powers, sines and cosines with the bits of PyTorch's vector functions, and the rotation
// of pairs by an angle each.
#pragma once

#include "tensor.hpp"

namespace attn {

// torch.sin(x), torch.cos(x), bit for bit up to 32768 numbers; beyond them threads may cut the vectors
// elsewhere.
Tensor sin(const Tensor& x);
Tensor cos(const Tensor& x);

// base > 0. torch: base ** x
Tensor pow(double base, const Tensor& x);

// (…, n, d), (n or 1, d/2), (n or 1, d/2) → (…, n, d): rotates each pair of a row by the angle with this
// cosine and sine. A pair is a number of the first half of the row and its counterpart in the second, or else
// two neighbours. Throw Error when the shapes do not fit.
Tensor rotate_halves(const Tensor& x, const Tensor& cos, const Tensor& sin);
Tensor rotate_neighbours(const Tensor& x, const Tensor& cos, const Tensor& sin);

}  // namespace attn
