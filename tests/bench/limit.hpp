// What the processor can do at most, measured beside what is done: machines are shared, and their clocks
// vary.
#pragma once

#include <cstddef>
#include <vector>

#include "tensor/levels.hpp"

namespace attn {

// On the wall's clock, and that all threads together had of the processors.
struct Seconds {
    double clock = 0.0;
    double cpu = 0.0;
};

Seconds now();

// Operations per second, by the clock and by the processors' time: other work on the machine disturbs that
// one less.
struct Rate {
    double by_clock = 0.0;
    double by_cpu = 0.0;
};

// Fused multiply-adds, two operations each, from registers to registers, on so many threads at once. Takes
// some milliseconds.
Rate fma_peak(Level level, std::size_t threads);

// Work at the level in force, in stretches between which the peak is measured.
class BesidePeak {
public:
    explicit BesidePeak(std::size_t threads);

    // So many operations have been done since the last call. Returns whether a stretch ends here and
    // `measure` is due.
    bool add(double operations, Seconds took);
    void measure();

    double peak() const;    // operations per second: the median
    Rate fraction() const;  // of the peaks before and after a stretch: the median

private:
    std::size_t threads_;
    std::vector<Rate> peaks_, rates_;
    double operations_ = 0.0;
    Seconds took_;
};

}  // namespace attn
