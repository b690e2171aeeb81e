// The product of matrices below matmul: fast, on threads, and with the bits of the plain loop.
#pragma once

#include <cstddef>

#include "tensor/levels.hpp"
#include "tensor/scratch.hpp"

namespace attn {

struct ProductSizes {
    std::size_t n, k, m;
};

// c (n, m) = a (n, k) × b (k, m): k ascending, one fused multiply-add per term, and no sum is −0. c overlaps
// neither a nor b.
void product(const float* a, const float* b, float* c, ProductSizes sizes, std::size_t threads);

// b (k, m) in the order in which products read it, by the kernels of the level in force: once for many
// products. As much memory as b.
class PackedMatrix {
public:
    // Whether b is given as (k, m), or as (m, k), as weights are.
    enum class Order { plain, transposed };

    PackedMatrix(const float* b, Order order, std::size_t k, std::size_t m, std::size_t threads);

    // c (n, m) = a (n, k) × b, as above, and then the bias (m,) is added if there is one. k is not 0.
    void multiply(const float* a, float* c, std::size_t n, const float* bias, std::size_t threads) const;

private:
    Level level_;
    std::size_t k_, m_;
    Scratch panels_;
};

// Below so many multiply-adds the order of b is not worth changing.
inline constexpr std::size_t least_packed_work = std::size_t{1} << 15U;

// Below so many multiply-adds a thread costs more than it gains.
inline constexpr std::size_t least_threaded_work = std::size_t{1} << 21U;

}  // namespace attn
