// Measures the product, fused attention and a layer of GPT-2's size. Names are row/size/…/threads. FLOP/s
// counts the multiplications and additions of the formula; causal attention counts half of full attention.
// "of peak" is the share of the processor's rate of multiply-adds, which is measured before and after the
// work on the same threads and level, because machines are shared and clock rates vary.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "attention/fused_attention.hpp"
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

constexpr std::size_t heads = 12;
constexpr std::size_t head_width = 64;

// Two products take T² · head_width · 2 operations each, and half of each is needed.
double attention_operations(double T) {
    return 2.0 * heads * T * T * head_width;
}

void fused_attention(benchmark::State& state, std::size_t T, std::size_t threads) {
    Generator generator(123);
    const Shape shape{heads, T, head_width};
    const Tensor queries = randn(generator, shape);
    const Tensor keys = randn(generator, shape);
    const Tensor values = randn(generator, shape);
    measure(state, threads, attention_operations(static_cast<double>(T)),
            [&] { return fused_causal_attention(queries, keys, values); });
}

// The smallest GPT-2: width 768, 12 heads, with biases. c_attn is divided into its three projections, as when
// `--weights` reads it.
void gpt2_layer(benchmark::State& state, std::size_t T, std::size_t threads) {
    constexpr std::size_t width = heads * head_width;
    Generator generator(123);
    const Tensor x = randn(generator, {T, width});
    const Linear W_query(generator, width, width);
    const Linear W_key(generator, width, width);
    const Linear W_value(generator, width, width);
    const Linear c_proj(generator, width, width);
    const auto n = static_cast<double>(T);
    measure(state, threads, 8.0 * n * width * width + attention_operations(n),
            [&] { return c_proj(fused_causal_attention(W_query(x), W_key(x), W_value(x), heads)); });
}

using Row = void(benchmark::State&, std::size_t size, std::size_t threads);

void add(std::string_view name, Row* run, std::initializer_list<std::size_t> sizes) {
    for (const std::size_t threads : {1U, 2U}) {
        for (const std::size_t size : sizes) {
            const std::string row = fmt::format("{}/{}/{}", name, size, threads);
            benchmark::RegisterBenchmark(row.c_str(), [=](benchmark::State& state) {
                run(state, size, threads);
            })->Unit(benchmark::kMillisecond);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    add("matmul", product, {64, 1536});
    add("fused_attention", fused_attention, {256, 1024, 4096});
    add("gpt2_layer", gpt2_layer, {256, 1024});
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return 2;
    }
    benchmark::RunSpecifiedBenchmarks();
}
