// Has as many independent sums as a tile of a product, so that no addition waits for the previous one, and
// loads nothing from memory.
#include "peak_kernel.hpp"

#include "tensor/tile.hpp"

namespace attn {

namespace {

constexpr std::size_t chains = tile_rows * across;
constexpr std::size_t terms = 16;  // per round, so that the loop itself costs nothing

float peak_run(std::size_t rounds, float factor) {
    const Floats left = Floats{} + factor;
    const Floats right = left + factor;
    Floats sums[chains];
#pragma GCC unroll 32
    for (std::size_t chain = 0; chain < chains; ++chain) {
        sums[chain] = Floats{} + static_cast<float>(chain);  // equal sums would be merged by the compiler
    }
    for (std::size_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 16
        for (std::size_t term = 0; term < terms; ++term) {
#pragma GCC unroll 32
            for (Floats& chain : sums) {
                chain = fused(left, right, chain);
            }
        }
    }
    Floats total{};
    for (const Floats& chain : sums) {
        total += chain;
    }
    return total[0];
}

}  // namespace

namespace ATTN_LEVEL {

const PeakKernel peak{2.0 * terms * chains * lanes, peak_run};

}  // namespace ATTN_LEVEL

}  // namespace attn
