// The kernel below matmul: one plain loop, compiled once for every processor and once for those with AVX2 and
// FMA. Both give the same bits, for a fused multiply-add is rounded once wherever it is done.
#pragma once

#include <cstddef>

namespace attn {

struct ProductSizes {
    std::size_t n, k, m;
};

// c (n, m) += a (n, k) × b (k, m): k ascending, one fused multiply-add per term. c overlaps neither a nor b.
using Product = void (*)(const float* a, const float* b, float* c, ProductSizes sizes);

extern const Product portable_product;

// Null where the compiler was not told to use these instructions. Calling it on a processor that lacks them
// ends the program.
extern const Product avx2_product;

// The faster one of those that this processor can run.
Product fastest_product();

}  // namespace attn
