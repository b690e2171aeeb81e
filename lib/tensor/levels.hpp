// The levels of the instruction set that kernels (*_kernel.cpp) are compiled for, and which of them runs.
// Each gives the same bits.
#pragma once

#include <cstddef>
#include <string_view>

namespace attn {

// The architecture's baseline; x86-64-v3 (AVX2, FMA); x86-64-v4 (AVX-512).
enum class Level : std::size_t { baseline, v3, v4 };

// True if this program has kernels of the level, and this processor can run them.
bool has_level(Level level);

// The level that runs: the highest there is, or what the environment variable ATTN_ISA (baseline, v3, v4)
// asks for. Throws Error when that is none, or not to be had here.
Level level();

// As ATTN_ISA spells it.
std::string_view level_name(Level level);

// For tests, while nothing is being computed. Asserts has_level().
void force_level(Level level);

// One kernel at each level.
template <class Kernel>
struct PerLevel {
    const Kernel* kernels[3];

    const Kernel& at(Level level) const { return *kernels[static_cast<std::size_t>(level)]; }
};

// ATTN_PER_LEVEL(product) initialises a PerLevel with baseline::product, v3::product and v4::product; where
// there is one level only, its kernel takes the others' place.
#if defined(ATTN_X86_LEVELS)
#define ATTN_PER_LEVEL(kernel) \
    { &baseline::kernel, &v3::kernel, &v4::kernel }
#else
#define ATTN_PER_LEVEL(kernel) \
    { &baseline::kernel, &baseline::kernel, &baseline::kernel }
#endif

}  // namespace attn
