// Kernels (*_kernel.cpp) are compiled for several instruction set levels, one of which is used. All levels
// give the same bits.
#pragma once

#include <cstddef>
#include <string_view>

namespace attn {

// The architecture's baseline, x86-64-v3 (AVX2, FMA) and x86-64-v4 (AVX-512).
enum class Level : std::size_t { baseline, v3, v4 };

// Returns true if this program has kernels for the level and the processor can run them.
bool has_level(Level level);

// Returns the level in use: that of the environment variable ATTN_ISA (baseline, v3, v4), otherwise the
// highest available level. Throws Error if ATTN_ISA is anything else, or names a level that is not available.
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

// Calls the kernel that was compiled for a level. A program that has only the baseline always calls that.
#if defined(ATTN_X86_LEVELS)
#define ATTN_KERNEL(at, name) ((at) == Level::v4 ? v4::name : (at) == Level::v3 ? v3::name : baseline::name)
#else
#define ATTN_KERNEL(at, name) baseline::name
#endif

}  // namespace attn
