// The instruction set levels that kernels (*_kernel.cpp) are compiled for, and the choice of the one that
// runs. All levels give the same bits.
#pragma once

#include <cstddef>
#include <string_view>

namespace attn {

// The architecture's baseline, x86-64-v3 (AVX2, FMA) and x86-64-v4 (AVX-512).
enum class Level : std::size_t { baseline, v3, v4 };

// True if this program has kernels of the level, and this processor can run them.
bool has_level(Level level);

// Returns the level in use: the one the environment variable ATTN_ISA names (baseline, v3, v4), or else the
// highest available. Throws Error when ATTN_ISA is not one of these, or its level is not available here.
Level level();

// Returns the level's name, as ATTN_ISA spells it.
std::string_view level_name(Level level);

// Sets the level, for tests. Must not be called during a computation. Asserts has_level(level).
void force_level(Level level);

// Declares the functions of a kernel once per level.
#define ATTN_AT_EACH_LEVEL(...) \
    namespace baseline {        \
    __VA_ARGS__                 \
    }                           \
    namespace v3 {              \
    __VA_ARGS__                 \
    }                           \
    namespace v4 {              \
    __VA_ARGS__                 \
    }

// The function of that name compiled for a level. A program with only the baseline uses its kernels.
#if defined(ATTN_X86_LEVELS)
#define ATTN_KERNEL(at, name) ((at) == Level::v4 ? v4::name : (at) == Level::v3 ? v3::name : baseline::name)
#else
#define ATTN_KERNEL(at, name) baseline::name
#endif

}  // namespace attn
