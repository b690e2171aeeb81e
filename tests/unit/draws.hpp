// Operands for tests, with the numbers that PyTorch draws.
#pragma once

#include <cstdint>

#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"
#include "tensor/random.hpp"

namespace attn {

// torch.manual_seed(seed); torch.rand(shape) * scale - shift
inline Tensor random(const Shape& shape, double scale, float shift, std::uint64_t seed = 123) {
    Generator generator(seed);
    return sub(mul(rand(generator, shape), scale), full(Shape{}, shift));
}

}  // namespace attn
