// Products by tiles that stay in registers, after Goto and van de Geijn, "Anatomy of High-Performance Matrix
// Multiplication" (2008). Every sum is one chain in ascending k, so all tile sizes give the same bits.
#include "tensor/matmul_kernel.hpp"

#include "tensor/tile.hpp"

namespace attn {

namespace {

// A chain whose products underflow can end in −0. BLAS adds its sums to a c of 0, which makes that 0.
void finish_rows(const Product& product, std::size_t first, std::size_t count) {
    for (std::size_t row = first; row < first + count; ++row) {
        float* const sums = product.c + row * product.m;
        for (std::size_t column = 0; column < product.m; ++column) {
            sums[column] += 0.0F;
        }
        for (std::size_t column = 0; product.bias != nullptr && column < product.m; ++column) {
            sums[column] += product.bias[column];
        }
    }
}

void product_loop(const Product& product) {
    const auto [a, b, c, n, k, m, transposed, bias] = product;
    for (std::size_t row = 0; row < n; ++row) {
        for (std::size_t term = 0; term < k; ++term) {
            const float* const right = b + term * (transposed ? 1 : m);
            for (std::size_t column = 0; column < m; ++column) {
                float& sum = c[row * m + column];
                sum = __builtin_fmaf(a[row * k + term], right[column * (transposed ? k : 1)], sum);
            }
        }
    }
    finish_rows(product, 0, n);
}

void pack_panel(const Product& product, std::size_t done, std::size_t panel, float* packed) {
    const std::size_t first = panel * tile_width;
    const std::size_t depth = smaller(product_depth, product.k - done);
    if (product.transposed) {
        pack_transposed<tile_width>(product.b + first * product.k + done, product.k, product.m - first, depth,
                                    packed);
    } else {
        pack<tile_width>(product.b + done * product.m + first, product.m, product.m - first, depth, packed);
    }
}

// A tile of which c has only the first rows and columns.
void add_to_edge(const float* a, const float* b, std::size_t k, float* c, std::size_t stride,
                 std::size_t rows, std::size_t columns) {
    float whole[tile_rows * tile_width] = {};
    for (std::size_t row = 0; row < rows; ++row) {
        __builtin_memcpy(whole + row * tile_width, c + row * stride, columns * sizeof(float));
    }
    multiply_tile(a, b, k, whole, tile_width);
    for (std::size_t row = 0; row < rows; ++row) {
        __builtin_memcpy(c + row * stride, whole + row * tile_width, columns * sizeof(float));
    }
}

void add_terms(const Product& product, std::size_t done, std::size_t first, const float* panels,
               float* scratch) {
    const auto [a, b, c, n, k, m, transposed, bias] = product;
    const std::size_t count = smaller(product_rows, n - first);
    const std::size_t depth = smaller(product_depth, k - done);
    for (std::size_t row = 0; row < count; row += tile_rows) {
        pack_transposed<tile_rows>(a + (first + row) * k + done, k, count - row, depth,
                                   scratch + row * depth);
    }
    for (std::size_t column = 0; column < m; column += tile_width) {
        const std::size_t columns = smaller(tile_width, m - column);
        for (std::size_t row = 0; row < count; row += tile_rows) {
            const float* const left = scratch + row * depth;
            const float* const right = panels + column * depth;
            float* const corner = c + (first + row) * m + column;
            const std::size_t rows = smaller(tile_rows, count - row);
            if (rows == tile_rows && columns == tile_width) {
                multiply_tile(left, right, depth, corner, m);
            } else {
                add_to_edge(left, right, depth, corner, m, rows, columns);
            }
        }
    }
    if (done + depth == k) {
        finish_rows(product, first, count);
    }
}

}  // namespace

namespace ATTN_LEVEL {

const ProductKernel product{product_loop, tile_width, pack_panel, add_terms};

}  // namespace ATTN_LEVEL

}  // namespace attn
