// Multiplies matrices by tiles that stay in registers, after Goto and van de Geijn, "Anatomy of
// High-Performance Matrix Multiplication" (2008). Every sum adds its terms in ascending k, so all tile sizes
// give the same bits.
#include "tensor/kernels.hpp"
#include "tensor/tile.hpp"

namespace attn {

namespace {

// Rows of a per block. With 512 terms each, they fill a fifth of a second-level cache of 1 MiB.
constexpr std::size_t rows_at_a_time = 96;

// Adds `depth` terms to a tile of c. Tiles at the edges of c have fewer rows or columns.
void add_to_tile(const Rows& a, const float* b, std::size_t depth, float* c, std::size_t stride,
                 std::size_t columns) {
    if (a.count >= tile_rows && columns >= tile_width) {
        multiply_tile(a, b, depth, c, stride);
        return;
    }
    const std::size_t rows = smaller(a.count, tile_rows);
    const std::size_t size = smaller(columns, tile_width) * sizeof(float);
    float whole[tile_rows * tile_width] = {};
    for (std::size_t row = 0; row < rows; ++row) {
        __builtin_memcpy(whole + row * tile_width, c + row * stride, size);
    }
    multiply_tile(a, b, depth, whole, tile_width);
    for (std::size_t row = 0; row < rows; ++row) {
        __builtin_memcpy(c + row * stride, whole + row * tile_width, size);
    }
}

// If products underflow, a sum can be −0. It is replaced by 0, because BLAS adds its sums to a c of 0.
void finish(const Product& product, std::size_t first, std::size_t end) {
    for (std::size_t i = first * product.m; i < end * product.m; ++i) {
        product.c[i] += 0.0F;
    }
    for (std::size_t row = first; product.bias != nullptr && row < end; ++row) {
        for (std::size_t column = 0; column < product.m; ++column) {
            product.c[row * product.m + column] += product.bias[column];
        }
    }
}

}  // namespace

void ATTN_LEVEL::multiply(const Product& product, float* panels) {
    const auto [a, b, c, n, k, m, transposed, bias] = product;
    // The loop runs once even if k is 0.
    for (std::size_t done = 0; done == 0 || done < k; done += product_depth) {
        const std::size_t depth = smaller(product_depth, k - done);
        for (std::size_t column = 0; column < m; column += tile_width) {
            if (transposed) {
                pack_transposed(b + column * k + done, k, m - column, depth, panels + column * depth);
            } else {
                pack(b + done * m + column, m, m - column, depth, panels + column * depth);
            }
        }
        for (std::size_t first = 0; first < n; first += rows_at_a_time) {
            const std::size_t end = smaller(first + rows_at_a_time, n);
            for (std::size_t column = 0; column < m; column += tile_width) {
                for (std::size_t row = first; row < end; row += tile_rows) {
                    add_to_tile({a + row * k + done, k, end - row}, panels + column * depth, depth,
                                c + row * m + column, m, m - column);
                }
            }
            if (done + depth == k) {
                finish(product, first, end);
            }
        }
    }
}

}  // namespace attn
