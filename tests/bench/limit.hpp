// Measures the processor's peak next to the actual work, because machines are shared and clock rates vary.
#pragma once

#include <cstddef>
#include <vector>

#include "tensor/levels.hpp"

namespace attn {

// Wall-clock time, and the processor time of all threads together.
struct Seconds {
    double clock = 0.0;
    double cpu = 0.0;
};

Seconds now();

// Operations per second of wall-clock time and of processor time. Other work on the machine affects the
// second less.
struct Rate {
    double by_clock = 0.0;
    double by_cpu = 0.0;
};

// Measures fused multiply-adds (two operations each) between registers, on the given number of threads at
// once. Takes some milliseconds.
Rate fma_peak(Level level, std::size_t threads);

// Measures work at the current level, in stretches between which the peak is measured.
class BesidePeak {
public:
    explicit BesidePeak(std::size_t threads);

    // Adds operations that were done since the last call. Returns true if a stretch ends here and measure()
    // must be called.
    bool add(double operations, Seconds took);
    void measure();

    double peak() const;    // the median, in operations per second
    Rate fraction() const;  // the median share of the peaks before and after a stretch

private:
    std::size_t threads_;
    std::vector<Rate> peaks_, rates_;
    double operations_ = 0.0;
    Seconds took_;
};

}  // namespace attn
