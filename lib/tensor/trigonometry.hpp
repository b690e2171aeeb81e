// The functions that RoPE needs: powers, sines and cosines with the bits of PyTorch's vector functions, and
// the rotation of pairs.
#pragma once

#include "tensor.hpp"

namespace attn {

// torch.sin(x), torch.cos(x), bit for bit. PyTorch divides more than 2048 numbers among its threads, which
// can change the last bits of angles beside one of 125 or more.
Tensor sin(const Tensor& x);
Tensor cos(const Tensor& x);

// Needs base > 0. torch: base ** x
Tensor pow(double base, const Tensor& x);

// (…, n, d), (n or 1, d/2), (n or 1, d/2) → (…, n, d): rotates each pair of a row by the angle with the given
// cosine and sine. rotate_halves pairs a number of the first half with its counterpart in the second,
// rotate_neighbours two neighbours. These functions throw Error when the shapes do not fit.
Tensor rotate_halves(const Tensor& x, const Tensor& cos, const Tensor& sin);
Tensor rotate_neighbours(const Tensor& x, const Tensor& cos, const Tensor& sin);

}  // namespace attn
