// Measures the matrix product. Names are matmul/size/threads. "of peak" is the share of the processor's rate
// of multiply-adds, which is measured before and after the work on the same threads and level, because
// machines are shared and clock rates vary.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <functional>
#include <numeric>
#include <vector>

#include "peak_kernel.hpp"
#include "tensor/levels.hpp"
#include "tensor/matmul.hpp"
#include "tensor/random.hpp"
#include "tensor/threads.hpp"

namespace {

using namespace attn;

// Returns the processor time of all threads in seconds.
double cpu_time() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

// Returns how many operations all threads together perform in a second of their processor time. Every thread
// runs for 4 ms, which is much longer than its start takes.
double fma_rate(std::size_t threads) {
    using Clock = std::chrono::steady_clock;
    const PeakKernel& kernel = ATTN_KERNEL(level(), peak);
    constexpr std::size_t rounds = 4096;  // 0.1 ms
    std::vector<double> operations(threads);
    const double start = cpu_time();
    parallel_for(threads, threads, [&](std::size_t i, std::size_t) {
        const auto end = Clock::now() + std::chrono::milliseconds(4);
        do {
            benchmark::DoNotOptimize(kernel.run(rounds, 0.001F));
            operations[i] += kernel.operations * rounds;
        } while (Clock::now() < end);
    });
    const double all = std::accumulate(operations.begin(), operations.end(), 0.0);
    return all / (cpu_time() - start) * static_cast<double>(threads);
}

// `run` takes that many operations. The peak is measured again after each 20 ms.
void measure(benchmark::State& state, std::size_t threads, double operations,
             const std::function<Tensor()>& run) {
    set_num_threads(threads);
    double before = fma_rate(threads);
    std::vector<double> shares;
    double stretch = 0.0;
    double runs = 0.0;
    double all_cpu = 0.0;
    for (auto iteration : state) {
        static_cast<void>(iteration);
        const double start = cpu_time();
        const Tensor result = run();
        benchmark::DoNotOptimize(result.values().data());
        const double cpu = cpu_time() - start;
        all_cpu += cpu;
        stretch += cpu;
        ++runs;
        if (stretch >= 0.02) {
            state.PauseTiming();
            const double after = fma_rate(threads);
            const double rate = runs * operations / stretch * static_cast<double>(threads);
            shares.push_back(2.0 * rate / (before + after));
            before = after;
            stretch = runs = 0.0;
            state.ResumeTiming();
        }
    }
    const auto middle = shares.begin() + static_cast<std::ptrdiff_t>(shares.size() / 2);
    std::nth_element(shares.begin(), middle, shares.end());
    state.counters["of peak"] = shares.empty() ? 0.0 : *middle;
    state.counters["CPU ms"] = 1000.0 * all_cpu / static_cast<double>(state.iterations());
    set_num_threads(0);
}

void product(benchmark::State& state, std::size_t n, std::size_t threads) {
    Generator generator(123);
    const Tensor a = randn(generator, {n, n});
    const Tensor b = randn(generator, {n, n});
    measure(state, threads, 2.0 * std::pow(static_cast<double>(n), 3), [&] { return matmul(a, b); });
}

}  // namespace

int main(int argc, char** argv) {
    for (const std::size_t threads : {1U, 2U}) {
        for (const std::size_t size : {64U, 1536U}) {
            benchmark::RegisterBenchmark(fmt::format("matmul/{}/{}", size, threads).c_str(),
                                         [=](benchmark::State& state) { product(state, size, threads); })
                ->Unit(benchmark::kMillisecond);
        }
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return 2;
    }
    benchmark::RunSpecifiedBenchmarks();
}
