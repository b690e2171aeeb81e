// The product of matrices below matmul: fast, on threads, and with the bits of the plain loop.
#pragma once

#include <cstddef>

namespace attn {

struct ProductSizes {
    std::size_t n, k, m;
};

// c (n, m) += a (n, k) × b (k, m): k ascending, one fused multiply-add per term, and no sum is −0. c overlaps
// neither a nor b.
void product(const float* a, const float* b, float* c, ProductSizes sizes, std::size_t threads);

// Below so many multiply-adds a thread costs more than it gains.
inline constexpr std::size_t least_threaded_work = std::size_t{1} << 21U;

}  // namespace attn
