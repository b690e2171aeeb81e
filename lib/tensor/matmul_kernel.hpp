// The parts of a product that are compiled once per level; matmul.cpp puts them together.
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

struct ProductKernel {
    // The whole product as a plain loop, for small ones.
    void (*loop)(const Product& product);

    // Large products take product_depth terms at a time, those from `done` on, and read them as packed panels
    // of b, each `columns` columns wide and as high as there are terms.
    std::size_t columns;
    void (*pack_panel)(const Product& product, std::size_t done, std::size_t panel, float* packed);

    // Adds these terms to product_rows rows of c, or as many as there are from `first` on. `scratch` has room
    // for product_scratch numbers.
    void (*add_terms)(const Product& product, std::size_t done, std::size_t first, const float* panels,
                      float* scratch);
};

// Rows of a that are packed at a time, with so many terms fill a third of a second-level cache of 1 MiB.
inline constexpr std::size_t product_rows = 96;
inline constexpr std::size_t product_depth = 512;
inline constexpr std::size_t product_scratch = product_rows * product_depth;

namespace baseline {
extern const ProductKernel product;
}
namespace v3 {
extern const ProductKernel product;
}
namespace v4 {
extern const ProductKernel product;
}

}  // namespace attn
