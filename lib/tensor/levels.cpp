// The level is chosen here, not by target_clones: clang 14 silently runs the default clone on x86-64-v4, and
// no test can force a clone.
#include "tensor/levels.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cassert>
#include <cstdlib>
#include <string_view>

#include "tensor/error.hpp"

namespace attn {

namespace {

constexpr std::string_view level_names[]{"baseline", "v3", "v4"};

Level chosen() {
    const char* const wanted = std::getenv("ATTN_ISA");
    for (const Level level : {Level::v4, Level::v3, Level::baseline}) {
        if (wanted == nullptr ? has_level(level) : level_name(level) == wanted) {
            if (!has_level(level)) {
                throw Error("ATTN_ISA: this processor does not support {}; leave the variable unset.",
                            wanted);
            }
            return level;
        }
    }
    throw Error("ATTN_ISA: expected baseline, v3 or v4; leave the variable unset for the fastest.");
}

std::atomic<Level>& in_force() {
    static std::atomic<Level> level = chosen();
    return level;
}

}  // namespace

std::string_view level_name(Level level) {
    return level_names[static_cast<std::size_t>(level)];
}

bool has_level(Level level) {
#if defined(ATTN_X86_LEVELS)
    const auto v3 = [] {
        return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
               __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0;
    };
    const auto v4 = [] {
        return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
               __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
               __builtin_cpu_supports("avx512vl") != 0;
    };
    return level == Level::baseline || (v3() && (level == Level::v3 || v4()));
#else
    return level == Level::baseline;
#endif
}

Level level() {
    return in_force();
}

void force_level(Level level) {
    assert(has_level(level));
    in_force() = level;
}

}  // namespace attn
