// Which way a product is computed, and its rows shared out among threads.
#include "tensor/product.hpp"

#include <algorithm>

#include "tensor/levels.hpp"
#include "tensor/product_kernel.hpp"
#include "tensor/scratch.hpp"
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

}  // namespace

void product(const float* a, const float* b, float* c, ProductSizes sizes, std::size_t threads) {
    const std::size_t n = sizes.n;
    const std::size_t k = sizes.k;
    const std::size_t m = sizes.m;
    const ProductKernel& kernel = kernels.at(level());
    constexpr std::size_t least_packed_work = std::size_t{1} << 15U;
    const std::size_t work = n * k * m;
    if (n < kernel.rows || m < kernel.columns / 2 || work < least_packed_work) {
        kernel.loop(a, b, c, sizes);
        add_to_zero(c, n * m);
        return;
    }
    threads = work < least_threaded_work ? 1 : threads;

    // A block of rows, packed, stays in the second cache; several per thread even out what others take of it.
    constexpr std::size_t most_rows = 240;
    const std::size_t share = std::min(most_rows, (n + 4 * threads - 1) / (4 * threads));
    const std::size_t rows = (share + kernel.rows - 1) / kernel.rows * kernel.rows;
    const std::size_t blocks = (n + rows - 1) / rows;
    const std::size_t room = rows * block_depth;
    const Scratch scratch(std::min(blocks, threads) * room);

    // As much of b at a time as is summed at a time: packed whole it would take as much memory again.
    const std::size_t panels = (m + kernel.columns - 1) / kernel.columns;
    const Scratch packed(panels * kernel.columns * std::min(k, block_depth));
    for (std::size_t done = 0; done < k; done += block_depth) {
        const std::size_t depth = std::min(block_depth, k - done);
        parallel_for(panels, threads, [&](std::size_t panel, std::size_t) {
            kernel.pack(b + done * m, {n, depth, m}, panel, packed.data() + panel * depth * kernel.columns);
        });
        parallel_for(blocks, threads, [&](std::size_t block, std::size_t thread) {
            const std::size_t first = block * rows;
            const std::size_t height = std::min(rows, n - first);
            kernel.packed(a + first * k + done, k, packed.data(), c + first * m, {height, depth, m},
                          scratch.data() + thread * room);
            if (done + depth == k) {
                add_to_zero(c + first * m, height * m);
            }
        });
    }
}

}  // namespace attn
