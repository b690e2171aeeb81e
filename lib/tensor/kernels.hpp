// The kernels that are compiled once per instruction set level: matrix product and softmax of rows.
#pragma once

#include <cstddef>

#include "tensor/levels.hpp"

namespace attn {

// Computes c (n, m) = a (n, k) × b (k, m). Terms are added in ascending k, with one fused multiply-add each;
// −0 becomes 0. Then the bias (m,) is added if there is one. b may be given transposed, as (m, k). The caller
// fills c with zeros.
struct Product {
    const float *a, *b;
    float* c;
    std::size_t n, k, m;
    bool transposed = false;
    const float* bias = nullptr;
};

// How many rows of b are packed together, and how many numbers all packed panels have. Packing one panel at a
// time would make products of 1536³ 5 % slower.
inline constexpr std::size_t product_depth = 512;
inline std::size_t panels_size(const Product& product) {
    constexpr std::size_t widest_tile = 48;
    return (product.k < product_depth ? product.k : product_depth) * (product.m + widest_tile);
}

ATTN_AT_EACH_LEVEL(void multiply(const Product& product, float* panels);

                   // x (rows, length) → result (rows, length), where length > 0.
                   void softmax_rows(const float* x, float* result, std::size_t rows, std::size_t length);

                   // grad, output (rows, length) → result (rows, length), where length > 0. Computes (grad −
                   // Σ grad·output)·output.
                   void softmax_backward_rows(const float* grad, const float* output, float* result,
                                              std::size_t rows, std::size_t length);)

}  // namespace attn
