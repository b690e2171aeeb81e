// NumPy's versions of operations whose random numbers or last bits differ from PyTorch's. NumPy stages share
// all other operations.
#pragma once

#include <cstdint>
#include <vector>

#include "notebook/notebook.hpp"

namespace attn {

namespace numpy {

Var seed(Notebook& notebook, std::uint64_t seed);    // np.random.seed(seed)
Var randn(Var generator, std::vector<Number> size);  // → size. np.float32(np.random.randn(size))
Var exp(Var x);                                      // (…) → (…). np.exp(x)
Var sum(Var x);  // (…, m) → (…, 1). np.sum(x, axis=-1, keepdims=True)

// (…), (…) → (…): x where the condition is not 0, else `otherwise`. np.where(condition, x, otherwise)
Var where(Var condition, Var x, const Number& otherwise);

// lib/mistakes uses this operation:
extern const Operation where_op;

}  // namespace numpy

}  // namespace attn
