// The parts of a product that are compiled once per level; product.cpp puts them together.
#pragma once

#include <cstddef>

#include "tensor/product.hpp"

namespace attn {

// c += a × b for some rows and some terms of a product. Rows of a are `stride` numbers apart, and of b's
// panels these terms begin panel_size numbers apart. With the `first` terms c = a × b. With the `last` ones
// no sum stays −0, and then the bias is added, if there is one. `scratch` holds sizes.k numbers for each row,
// rounded up to whole tiles.
struct ProductPart {
    const float* a;
    std::size_t stride;
    const float* panels;
    std::size_t panel_size;
    float* c;
    ProductSizes sizes;
    bool first, last;
    const float* bias;  // (m,)
    float* scratch;
};

struct ProductKernel {
    // c = a × b, by rows of c: for products too small, or of too few rows, to be worth packing b.
    void (*loop)(const float* a, const float* b, float* c, ProductSizes sizes);

    // For all others b is packed in panels, each `columns` wide, k high and without gaps, the last one filled
    // up with zeros. A panel of them, of b (k, m), and of b given as (m, k):
    std::size_t columns;
    void (*pack)(const float* b, std::size_t k, std::size_t m, std::size_t panel, float* packed);
    void (*pack_transposed)(const float* b, std::size_t k, std::size_t m, std::size_t panel, float* packed);

    // A multiple of `rows` at a time, but for the last ones.
    std::size_t rows;
    void (*packed)(const ProductPart& part);
};

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
