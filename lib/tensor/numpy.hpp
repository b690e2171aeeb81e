// NumPy's arithmetic where its bits differ from PyTorch's: legacy generator, exp and sum, as in NumPy 1.24 on
// x86 with AVX2.
#pragma once

#include "random.hpp"
#include "tensor.hpp"

namespace attn::numpy {

// Normal numbers with mean 0 and variance 1, drawn as doubles by the polar method and then rounded. For s
// below 2^32, the generator is seeded like np.random.seed(s).
//     attn: Generator generator(123); numpy::randn(generator, {2})
//     NumPy: np.random.seed(123); np.float32(np.random.randn(2))          both give -1.0856, 0.9973
Tensor randn(Generator& generator, const Shape& shape);

// Uniform numbers in [0, 1), drawn as doubles and then rounded. np.float32(np.random.rand(*shape))
Tensor rand(Generator& generator, const Shape& shape);

// exp with NumPy's bits, accurate to 3 ulp. np.exp(x)
Tensor exp(const Tensor& x);

// (…, m, …) → (…, …) or (…, 1, …). Throws Error when x has no such axis. np.sum(x, axis, keepdims=keepdims),
// with the same bits for rows of up to 8192 numbers
Tensor sum(const Tensor& x, int axis, bool keepdims = false);

}  // namespace attn::numpy
