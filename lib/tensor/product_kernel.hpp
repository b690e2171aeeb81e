// The parts of a product that are compiled once per level; product.cpp puts them together.
#pragma once

#include <cstddef>

#include "tensor/product.hpp"

namespace attn {

struct ProductKernel {
    // c += a × b, by rows of c: for products too small, or of too few rows, to be worth packing b.
    void (*loop)(const float* a, const float* b, float* c, ProductSizes sizes);

    // For all others so many rows of b at a time as are summed at a time (sizes.k) are packed in panels, each
    // `columns` wide and without gaps, the last one filled up with zeros. A panel of them:
    std::size_t columns;
    void (*pack)(const float* b, ProductSizes sizes, std::size_t panel, float* packed);

    // c += a × these, for some rows, whose numbers in a are `stride` apart; a multiple of `rows` but for the
    // last ones. With the `last` terms no sum stays −0. `scratch` is theirs alone, and holds sizes.k numbers
    // for each of them, rounded up.
    std::size_t rows;
    void (*packed)(const float* a, std::size_t stride, const float* packed, float* c, ProductSizes sizes,
                   bool last, float* scratch);
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
