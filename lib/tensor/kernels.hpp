// Kernels that are compiled once per level of the instruction set: products and softmax of rows.
#pragma once

#include <cstddef>

namespace attn {

// c (n, m) = a (n, k) × b (k, m), k ascending, one fused multiply-add per term; no sum is −0; then the bias
// (m,) is added if there is one. b may be given transposed, as (m, k). c holds zeros at first.
struct Product {
    const float *a, *b;
    float* c;
    std::size_t n, k, m;
    bool transposed = false;
    const float* bias = nullptr;
};

// `scratch` has room for scratch_size numbers.
using ProductKernel = void (*)(const Product& product, float* scratch);

// Rows and terms of a that are used at a time; they fill a fifth of a second-level cache of 1 MiB.
inline constexpr std::size_t product_rows = 96;
inline constexpr std::size_t product_depth = 512;

// So many terms of all columns of b, in whole tiles.
inline std::size_t scratch_size(const Product& product) {
    constexpr std::size_t widest_tile = 48;
    const std::size_t depth = product.k < product_depth ? product.k : product_depth;
    return depth * (product.m + widest_tile);
}

// x (rows, length) → result (rows, length); length > 0. They may be the same.
using RowSoftmax = void (*)(const float* x, float* result, std::size_t rows, std::size_t length);

// grad, output (rows, length) → result (rows, length); length > 0. (grad − Σ grad·output)·output
using RowSoftmaxBackward = void (*)(const float* grad, const float* output, float* result, std::size_t rows,
                                    std::size_t length);

namespace baseline {
extern const ProductKernel product;
extern const RowSoftmax softmax_rows;
extern const RowSoftmaxBackward softmax_backward_rows;
}  // namespace baseline
namespace v3 {
extern const ProductKernel product;
extern const RowSoftmax softmax_rows;
extern const RowSoftmaxBackward softmax_backward_rows;
}  // namespace v3
namespace v4 {
extern const ProductKernel product;
extern const RowSoftmax softmax_rows;
extern const RowSoftmaxBackward softmax_backward_rows;
}  // namespace v4

}  // namespace attn
