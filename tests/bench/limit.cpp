#include "limit.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>

#include "peak_kernel.hpp"
#include "tensor/threads.hpp"

namespace attn {

namespace {

// Much longer than a thread takes to start, and shorter than the interval at which clock rates change.
constexpr double probe_seconds = 0.004;
constexpr double stretch_seconds = 0.02;

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

Seconds now() {
    const std::chrono::duration<double> clock = std::chrono::steady_clock::now().time_since_epoch();
    return {clock.count(), static_cast<double>(std::clock()) / CLOCKS_PER_SEC};
}

Rate fma_peak(Level level, std::size_t threads) {
    constexpr std::size_t rounds = 4096;  // 0.1 ms, much longer than reading the clocks takes
    const PeakKernel& kernel = ATTN_KERNEL(level, peak);
    struct Share {
        double operations, seconds;
        float result;
    };
    std::vector<Share> shares(threads);
    const double cpu = now().cpu;
    parallel_for(threads, threads, [&](std::size_t i, std::size_t) {
        Share share{};
        const double start = now().clock;
        do {
            share.result += kernel.run(rounds, 0.001F);
            share.operations += kernel.operations * rounds;
            share.seconds = now().clock - start;
        } while (share.seconds < probe_seconds);
        shares[i] = share;
    });
    Rate rate;
    double operations = 0.0;
    for (const Share& share : shares) {
        rate.by_clock += share.operations / share.seconds;
        operations += share.operations;
    }
    rate.by_cpu = operations / (now().cpu - cpu) * static_cast<double>(threads);
    return rate;
}

BesidePeak::BesidePeak(std::size_t threads) : threads_(threads) {
    peaks_.push_back(fma_peak(level(), threads_));
}

bool BesidePeak::add(double operations, Seconds took) {
    operations_ += operations;
    took_.clock += took.clock;
    took_.cpu += took.cpu;
    return took_.clock >= stretch_seconds;
}

void BesidePeak::measure() {
    rates_.push_back({operations_ / took_.clock, operations_ / took_.cpu * static_cast<double>(threads_)});
    peaks_.push_back(fma_peak(level(), threads_));
    operations_ = 0.0;
    took_ = {};
}

double BesidePeak::peak() const {
    std::vector<double> peaks;
    for (const Rate& peak : peaks_) {
        peaks.push_back(peak.by_clock);
    }
    return median(peaks);
}

Rate BesidePeak::fraction() const {
    std::vector<double> by_clock;
    std::vector<double> by_cpu;
    for (std::size_t i = 0; i < rates_.size(); ++i) {
        const Rate& before = peaks_[i];
        const Rate& after = peaks_[i + 1];
        by_clock.push_back(2.0 * rates_[i].by_clock / (before.by_clock + after.by_clock));
        by_cpu.push_back(2.0 * rates_[i].by_cpu / (before.by_cpu + after.by_cpu));
    }
    return {median(by_clock), median(by_cpu)};
}

}  // namespace attn
