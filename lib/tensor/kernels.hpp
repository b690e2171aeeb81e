// The kernels that are compiled once per instruction set level: matrix product and softmax of rows.
#pragma once

#include <cstddef>

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

// `scratch` must have room for scratch_size(product) numbers.
using ProductKernel = void (*)(const Product& product, float* scratch);

// The block of a that is multiplied at a time: it fills a fifth of a second-level cache of 1 MiB.
inline constexpr std::size_t product_rows = 96;
inline constexpr std::size_t product_depth = 512;

// The numbers of b in one block: `product_depth` terms of all columns, padded to whole tiles.
inline std::size_t scratch_size(const Product& product) {
    constexpr std::size_t widest_tile = 48;
    const std::size_t depth = product.k < product_depth ? product.k : product_depth;
    return depth * (product.m + widest_tile);
}

// x (rows, length) → result (rows, length), where length > 0. `x` and `result` may be the same array.
using RowSoftmax = void (*)(const float* x, float* result, std::size_t rows, std::size_t length);

// grad, output (rows, length) → result (rows, length), where length > 0. Computes (grad − Σ
// grad·output)·output.
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
