// Which way a product is computed, and its rows shared out among threads.
#include "tensor/product.hpp"

#include <algorithm>
#include <cmath>

#include "tensor/caches.hpp"
#include "tensor/levels.hpp"
#include "tensor/product_kernel.hpp"
#include "tensor/threads.hpp"

namespace attn {

namespace {

constexpr PerLevel<ProductKernel> kernels ATTN_PER_LEVEL(product);

// A chain whose products underflow can end in −0. BLAS adds its sums to a c of 0, which makes that 0.
void add_to_zero(float* sums, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        sums[i] += 0.0F;
    }
}

// So many terms are summed before the sums are set aside for those of the next tile, for so many rows of a,
// which are packed. Per term of a sum that moves 2/depth numbers of c and 1/rows of b through the second
// cache, half of which the packed rows fill: least when there are half as many rows as terms.
struct Blocks {
    std::size_t depth, rows;
};

Blocks blocks_of(const ProductSizes& sizes, std::size_t tile_rows, std::size_t threads) {
    const std::size_t room = second_cache() / 2 / sizeof(float);
    const auto best = static_cast<std::size_t>(std::sqrt(static_cast<double>(2 * room)));
    const std::size_t depths = std::max<std::size_t>(1, (sizes.k + best / 2) / best);
    const std::size_t depth = (sizes.k + depths - 1) / depths;
    // Several blocks of rows per thread even out what others take of it.
    const std::size_t share = threads == 1 ? sizes.n : (sizes.n + 4 * threads - 1) / (4 * threads);
    const std::size_t rows = std::clamp<std::size_t>(room / depth, 1, share);
    return {depth, (rows + tile_rows - 1) / tile_rows * tile_rows};
}

std::size_t panels_of(const ProductKernel& kernel, std::size_t m) {
    return (m + kernel.columns - 1) / kernel.columns;
}

}  // namespace

PackedMatrix::PackedMatrix(const float* b, Order order, std::size_t k, std::size_t m, std::size_t threads)
    : level_(level()),
      k_(k),
      m_(m),
      panels_(panels_of(kernels.at(level_), m) * kernels.at(level_).columns * k) {
    const ProductKernel& kernel = kernels.at(level_);
    const auto pack = order == Order::plain ? kernel.pack : kernel.pack_transposed;
    parallel_for(panels_of(kernel, m), threads, [&](std::size_t panel, std::size_t) {
        pack(b, k, m, panel, panels_.data() + panel * k * kernel.columns);
    });
}

void PackedMatrix::multiply(const float* a, float* c, std::size_t n, const float* bias,
                            std::size_t threads) const {
    if (n == 0) {
        return;
    }
    const ProductKernel& kernel = kernels.at(level_);
    threads = n * k_ * m_ < least_threaded_work ? 1 : threads;
    const Blocks blocks = blocks_of({n, k_, m_}, kernel.rows, threads);
    const std::size_t count = (n + blocks.rows - 1) / blocks.rows;
    const std::size_t room = blocks.rows * blocks.depth;
    const Scratch scratch(std::min(count, threads) * room);
    parallel_for(count, threads, [&](std::size_t block, std::size_t thread) {
        const std::size_t first = block * blocks.rows;
        const std::size_t height = std::min(blocks.rows, n - first);
        float* const sums = c + first * m_;
        for (std::size_t done = 0; done < k_; done += blocks.depth) {
            const std::size_t depth = std::min(blocks.depth, k_ - done);
            kernel.packed({a + first * k_ + done,
                           k_,
                           panels_.data() + done * kernel.columns,
                           k_ * kernel.columns,
                           sums,
                           {height, depth, m_},
                           done == 0,
                           done + depth == k_,
                           bias,
                           scratch.data() + thread * room});
        }
    });
}

void product(const float* a, const float* b, float* c, ProductSizes sizes, std::size_t threads) {
    const auto [n, k, m] = sizes;
    const ProductKernel& kernel = kernels.at(level());
    const std::size_t work = n * k * m;
    if (n < kernel.rows || m < kernel.columns / 2 || work < least_packed_work) {
        kernel.loop(a, b, c, sizes);
        add_to_zero(c, n * m);
        return;
    }
    const PackedMatrix packed(b, PackedMatrix::Order::plain, k, m, work < least_threaded_work ? 1 : threads);
    packed.multiply(a, c, n, nullptr, threads);
}

}  // namespace attn
