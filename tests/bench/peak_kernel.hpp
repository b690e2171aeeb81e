// Performs as many fused multiply-adds as the processor can: no kernel of the same level can be faster.
#pragma once

#include <cstddef>

#include "tensor/levels.hpp"

namespace attn {

struct PeakKernel {
    // Number of operations (additions and multiplications) in one round.
    double operations;

    // Returns a number that depends on all results, so that the compiler removes nothing. `factor` must keep
    // the sums finite, for example 0.001.
    float (*run)(std::size_t rounds, float factor);
};

ATTN_AT_EACH_LEVEL(extern const PeakKernel peak;)

}  // namespace attn
