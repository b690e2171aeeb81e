// Operands for tests: numbers that PyTorch draws, and numbers in order.
#pragma once

#include <cstdint>
#include <numeric>

#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"
#include "tensor/random.hpp"

namespace attn {

// torch.manual_seed(seed); torch.rand(shape) * scale - shift
inline Tensor random(const Shape& shape, double scale, float shift, std::uint64_t seed = 123) {
    Generator generator(seed);
    return sub(mul(rand(generator, shape), scale), full(Shape{}, shift));
}

// Returns 1, 2, 3, ….
inline Tensor counted(const Shape& shape) {
    Tensor x(shape);
    std::iota(x.values().begin(), x.values().end(), 1.0F);
    return x;
}

}  // namespace attn
