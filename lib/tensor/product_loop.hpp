// The loop itself, for the files that compile it for one instruction set each. All of it has internal linkage
// and calls no inline function, so that the linker cannot put one file's instructions into another's place.
#pragma once

#include "tensor/product.hpp"

namespace attn {

namespace {

void product_loop(const float* a, const float* b, float* __restrict c, ProductSizes sizes) {
    for (std::size_t row = 0; row < sizes.n; ++row) {
        float* const sums = c + row * sizes.m;
        for (std::size_t inner = 0; inner < sizes.k; ++inner) {
            const float left = a[row * sizes.k + inner];
            const float* const right = b + inner * sizes.m;
            for (std::size_t column = 0; column < sizes.m; ++column) {
                sums[column] = __builtin_fmaf(left, right[column], sums[column]);
            }
        }
    }
}

}  // namespace

}  // namespace attn
