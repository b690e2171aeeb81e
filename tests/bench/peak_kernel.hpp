// As many fused multiply-adds as registers hold and the processor can begin: what no kernel of a level
// exceeds.
#pragma once

#include <cstddef>

namespace attn {

struct PeakKernel {
    // How many operations, additions and multiplications, one round takes.
    double operations;

    // Returns what came of it, so that the compiler leaves nothing out. Any `factor` will do that the sums
    // stay finite with: 0.001.
    float (*run)(std::size_t rounds, float factor);
};

namespace baseline {
extern const PeakKernel peak;
}
namespace v3 {
extern const PeakKernel peak;
}
namespace v4 {
extern const PeakKernel peak;
}

}  // namespace attn
