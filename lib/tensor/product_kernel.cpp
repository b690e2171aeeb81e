// Products by tiles that stay in registers, after Goto and van de Geijn, "Anatomy of High-Performance Matrix
// Multiplication" (2008). The order of each sum is that of the plain loop: a sum set aside after some
// terms is taken up where it was left.
#include "tensor/product_kernel.hpp"

#include "tensor/tile.hpp"

namespace attn {

namespace {

// Wide tiles take fewer loads per multiply-add, narrow ones waste less of a matrix whose width they do not
// divide.
constexpr std::size_t tile_across = lanes == 16 ? 2 : 3;
using ProductTile = Tile<tile_across>;
constexpr std::size_t tile_rows = ProductTile::rows;
constexpr std::size_t tile_columns = ProductTile::width;

[[gnu::always_inline]] inline std::size_t smaller(std::size_t a, std::size_t b) {
    return a < b ? a : b;
}

void product_loop(const float* a, const float* b, float* __restrict c, ProductSizes sizes) {
    for (std::size_t row = 0; row < sizes.n; ++row) {
        float* const sums = c + row * sizes.m;
        for (std::size_t column = 0; column < sizes.m; ++column) {
            sums[column] = 0.0F;
        }
        for (std::size_t inner = 0; inner < sizes.k; ++inner) {
            const float left = a[row * sizes.k + inner];
            const float* const right = b + inner * sizes.m;
            for (std::size_t column = 0; column < sizes.m; ++column) {
                sums[column] = __builtin_fmaf(left, right[column], sums[column]);
            }
        }
    }
}

void pack_panel(const float* b, std::size_t k, std::size_t m, std::size_t panel, float* __restrict packed) {
    const std::size_t first = panel * tile_columns;
    const std::size_t width = smaller(tile_columns, m - first);
    for (std::size_t inner = 0; inner < k; ++inner) {
        const float* const from = b + inner * m + first;
        float* const to = packed + inner * tile_columns;
        if (width == tile_columns) {
#pragma GCC unroll 4
            for (std::size_t column = 0; column < tile_columns; column += lanes) {
                store(load(from + column), to + column);
            }
            continue;
        }
        for (std::size_t column = 0; column < tile_columns; ++column) {
            to[column] = column < width ? from[column] : 0.0F;
        }
    }
}

void pack_transposed_panel(const float* b, std::size_t k, std::size_t m, std::size_t panel,
                           float* __restrict packed) {
    const std::size_t first = panel * tile_columns;
    const std::size_t width = smaller(tile_columns, m - first);
    for (std::size_t i = 0; width < tile_columns && i < k * tile_columns; ++i) {
        packed[i] = 0.0F;
    }
    transpose(b + first * k, k, width, k, packed, tile_columns);
}

// a's rows, tile_rows at a time, column after column; those beyond n are zeros. Where a tile has most of the
// rows of a square of lanes × lanes, squares are turned: what they have more of comes to lie where the next
// columns, or rows, go.
void pack_rows(const float* a, std::size_t n, std::size_t depth, std::size_t stride,
               float* __restrict packed) {
    constexpr bool turns = tile_rows > lanes / 2;
    static_assert(!turns || tile_rows <= lanes);
    for (std::size_t first = 0; first < n; first += tile_rows) {
        std::size_t inner = 0;
        for (; turns && n - first >= lanes && inner + lanes <= depth; inner += lanes) {
            transpose_square(a + first * stride + inner, stride, packed + inner * tile_rows, tile_rows);
        }
        for (; n - first >= tile_rows && inner < depth; ++inner) {
#pragma GCC unroll 16
            for (std::size_t row = 0; row < tile_rows; ++row) {
                packed[inner * tile_rows + row] = a[(first + row) * stride + inner];
            }
        }
        for (; inner < depth; ++inner) {
            for (std::size_t row = 0; row < tile_rows; ++row) {
                packed[inner * tile_rows + row] = first + row < n ? a[(first + row) * stride + inner] : 0.0F;
            }
        }
        packed += depth * tile_rows;
    }
}

// `count` numbers on their way into the second cache, and those of a tile of c into the first one. They come
// from afar: what is read next is not what lies next to what is being read.
void prefetch(const float* from, std::size_t count) {
    constexpr std::size_t line = 64 / sizeof(float);
    for (std::size_t i = 0; i < count; i += line) {
        __builtin_prefetch(from + i, 0, 2);
    }
}

void prefetch_tile(const float* c, std::size_t stride) {
    for (std::size_t row = 0; row < tile_rows; ++row) {
        __builtin_prefetch(c + row * stride, 1);
        __builtin_prefetch(c + row * stride + tile_columns - 1, 1);
    }
}

// What becomes of a tile of c besides its terms.
struct Ends {
    bool first, last;
    const float* bias;  // of the tile's columns
};

// A tile of c, += a × b for its k terms.
void multiply_tile(const float* a, const float* b, float* c, std::size_t k, std::size_t stride,
                   const Ends& ends) {
    ProductTile tile{};
    if (!ends.first) {
        tile.load_from(c, stride);
    }
    tile.add_product(a, 1, tile_rows, b, k);
    if (ends.last) {
        tile.clear_minus_zero();
        if (ends.bias != nullptr) {
            tile.add_row(ends.bias);
        }
    }
    tile.store_to(c, stride);
}

// A tile that c has only the upper left part of.
void multiply_edge(const float* a, const float* b, float* c, ProductSizes part, std::size_t stride,
                   Ends ends) {
    float whole[tile_rows * tile_columns] = {};
    float bias[tile_columns] = {};
    for (std::size_t column = 0; column < part.m; ++column) {
        for (std::size_t row = 0; row < part.n; ++row) {
            whole[row * tile_columns + column] = c[row * stride + column];
        }
        bias[column] = ends.bias != nullptr ? ends.bias[column] : 0.0F;
    }
    ends.bias = ends.bias != nullptr ? bias : nullptr;
    multiply_tile(a, b, whole, part.k, tile_columns, ends);
    for (std::size_t row = 0; row < part.n; ++row) {
        for (std::size_t column = 0; column < part.m; ++column) {
            c[row * stride + column] = whole[row * tile_columns + column];
        }
    }
}

void product_packed(const ProductPart& part) {
    const auto [n, k, m] = part.sizes;
    pack_rows(part.a, n, k, part.stride, part.scratch);
    const float* panel = part.panels;
    const std::size_t tiles = (n + tile_rows - 1) / tile_rows;
    const std::size_t share = (k * tile_columns + tiles - 1) / tiles;  // of the next panel, for each tile
    for (std::size_t column = 0; column < m; column += tile_columns) {
        const std::size_t width = smaller(tile_columns, m - column);
        const Ends ends{part.first, part.last, part.bias != nullptr ? part.bias + column : nullptr};
        for (std::size_t row = 0; row < n; row += tile_rows) {
            const std::size_t height = smaller(tile_rows, n - row);
            const float* const rows = part.scratch + row * k;
            float* const corner = part.c + row * m + column;
            if (column + tile_columns < m) {
                prefetch(panel + part.panel_size + row / tile_rows * share, share);
            }
            if (row + 2 * tile_rows <= n) {
                prefetch_tile(corner + tile_rows * m, m);
            }
            if (height == tile_rows && width == tile_columns) {
                multiply_tile(rows, panel, corner, k, m, ends);
            } else {
                multiply_edge(rows, panel, corner, {height, k, width}, m, ends);
            }
        }
        panel += part.panel_size;
    }
}

}  // namespace

namespace ATTN_LEVEL {

const ProductKernel product{product_loop,          tile_columns, pack_panel,
                            pack_transposed_panel, tile_rows,    product_packed};

}  // namespace ATTN_LEVEL

}  // namespace attn
