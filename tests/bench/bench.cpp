// Measures the kernels, a layer of GPT-2's size, and JSON. Names are row/size/…/threads. FLOP/s counts the
// multiplications and additions of the formula; causal attention counts half of full attention. "limit" is
// the processor's peak for multiply-adds, measured at the same time on the same threads and level. Bytes are
// the least that one iteration must read and write.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "attention/fused_attention.hpp"
#include "files/json_value.hpp"
#include "limit.hpp"
#include "stages/catalogue.hpp"
#include "stages/lesson_reader.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"
#include "tensor/levels.hpp"
#include "tensor/matmul.hpp"
#include "tensor/random.hpp"
#include "tensor/softmax.hpp"
#include "tensor/threads.hpp"
#include "views/json/trace_json.hpp"

namespace {

using attn::Generator;
using attn::Shape;
using attn::Tensor;

// The work of one iteration.
struct Work {
    double operations = 0.0;
    double bytes = 0.0;
};

// Returns the peak memory of this process in bytes, or 0 if the system does not report it.
double peak_memory() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:")) {
            return 1024.0 * std::stod(line.substr(line.find(':') + 1));
        }
    }
    return 0.0;
}

// Rates use wall-clock time; the benchmark library's own rates use the time of one thread.
void measure(benchmark::State& state, std::size_t threads, const std::function<Work()>& run) {
    attn::set_num_threads(threads);
    attn::BesidePeak beside(attn::num_threads());
    Work work;
    attn::Seconds total;
    bool stretch_ends = false;
    for (auto iteration : state) {
        static_cast<void>(iteration);
        const attn::Seconds start = attn::now();
        work = run();
        const attn::Seconds end = attn::now();
        const attn::Seconds took{end.clock - start.clock, end.cpu - start.cpu};
        total = {total.clock + took.clock, total.cpu + took.cpu};
        stretch_ends = beside.add(work.operations, took);
        if (stretch_ends && work.operations > 0.0) {
            state.PauseTiming();
            beside.measure();
            state.ResumeTiming();
        }
    }
    const auto iterations = static_cast<double>(state.iterations());
    const double per_second = iterations / total.clock;
    state.counters["CPU ms"] = 1000.0 * total.cpu / iterations;  // processor time of all threads
    state.counters["peak"] = peak_memory();
    state.counters["bytes"] = work.bytes;
    state.counters["bytes/s"] = work.bytes * per_second;
    if (work.operations > 0.0) {
        if (!stretch_ends) {
            beside.measure();
        }
        state.counters["FLOP/s"] = work.operations * per_second;
        state.counters["limit"] = beside.peak();
        state.counters["of limit"] = beside.fraction().by_clock;
        state.counters["of limit by CPU"] = beside.fraction().by_cpu;
    }
    attn::set_num_threads(0);
}

// Measures the processor's peak; peers.py runs this before the other rows.
void fma_peak(benchmark::State& state, attn::Level level, std::size_t threads) {
    std::vector<double> rates;
    for (auto iteration : state) {
        static_cast<void>(iteration);
        rates.push_back(attn::fma_peak(level, threads).by_clock);
    }
    state.counters["FLOP/s"] = *std::max_element(rates.begin(), rates.end());
}

double bytes(std::initializer_list<const Tensor*> tensors) {
    std::size_t count = 0;
    for (const Tensor* tensor : tensors) {
        count += tensor->count();
    }
    return static_cast<double>(count * sizeof(float));
}

void matmul(benchmark::State& state, std::size_t n, std::size_t threads) {
    Generator generator(123);
    const Tensor a = randn(generator, {n, n});
    const Tensor b = randn(generator, {n, n});
    measure(state, threads, [&] {
        const Tensor c = attn::matmul(a, b);
        benchmark::DoNotOptimize(c.values().data());
        return Work{2.0 * std::pow(static_cast<double>(n), 3), bytes({&a, &b, &c})};
    });
}

Tensor materialised_attention(const Tensor& queries, const Tensor& keys, const Tensor& values,
                              const Tensor& mask) {
    const Tensor scores = attn::matmul(queries, transpose(keys, -2, -1));
    const Tensor masked = masked_fill(scores, mask, -std::numeric_limits<float>::infinity());
    return attn::matmul(softmax(div(masked, std::sqrt(static_cast<double>(keys.size(-1)))), -1), values);
}

struct AttentionSizes {
    std::size_t T, H, D, threads;
};

double attention_operations(double T, double H, double D) {
    return 2.0 * H * T * T * D;  // two products of T² · D · 2 operations, and half of each is needed
}

void attention(benchmark::State& state, bool fused, AttentionSizes sizes) {
    Generator generator(123);
    const Shape shape{sizes.H, sizes.T, sizes.D};
    const Tensor queries = randn(generator, shape);
    const Tensor keys = randn(generator, shape);
    const Tensor values = randn(generator, shape);
    const Tensor mask = fused ? Tensor() : triu(attn::ones(Shape{sizes.T, sizes.T}), 1);
    measure(state, sizes.threads, [&] {
        const Tensor result = fused ? attn::fused_causal_attention(queries, keys, values)
                                    : materialised_attention(queries, keys, values, mask);
        benchmark::DoNotOptimize(result.values().data());
        return Work{attention_operations(static_cast<double>(sizes.T), static_cast<double>(sizes.H),
                                         static_cast<double>(sizes.D)),
                    bytes({&queries, &keys, &values, &result})};
    });
}

// The smallest GPT-2: width 768, 12 heads, with biases. c_attn is divided into its three projections, as when
// `--weights` reads it.
void gpt2_layer(benchmark::State& state, std::size_t T, std::size_t threads) {
    constexpr std::size_t width = 768;
    constexpr std::size_t heads = 12;
    Generator generator(123);
    const Tensor x = randn(generator, {T, width});
    const attn::Linear W_query(generator, width, width);
    const attn::Linear W_key(generator, width, width);
    const attn::Linear W_value(generator, width, width);
    const attn::Linear c_proj(generator, width, width);
    measure(state, threads, [&] {
        const Tensor result = c_proj(attn::fused_causal_attention(W_query(x), W_key(x), W_value(x), heads));
        benchmark::DoNotOptimize(result.values().data());
        const auto n = static_cast<double>(T);
        return Work{
            8.0 * n * width * width + attention_operations(n, heads, width / heads),
            bytes({&x, &result, &W_query.weight(), &W_key.weight(), &W_value.weight(), &c_proj.weight()})};
    });
}

attn::Lesson lesson(std::size_t T, std::size_t width) {
    Generator generator(123);
    attn::Lesson lesson{{}, randn(generator, {T, width})};
    for (std::size_t i = 0; i < T; ++i) {
        lesson.tokens.push_back(std::to_string(i));
    }
    return lesson;
}

// Writes the causal stage of T tokens as --json does.
void json_export(benchmark::State& state, std::size_t T) {
    attn::Trace trace{lesson(T, 3), {}};
    const attn::Stage& stage = *attn::find_stage("causal");
    trace.stages.push_back(walk(stage, trace.lesson, stage.defaults));
    measure(state, 0, [&] {
        Work work;
        const auto write = [&](std::string_view text) {
            benchmark::DoNotOptimize(text.data());
            work.bytes += static_cast<double>(text.size());
        };
        attn::write_json(write, trace, {});
        return work;
    });
}

// Reads a lesson of T tokens of width 768 as --input does.
void json_import(benchmark::State& state, std::size_t T) {
    const attn::Lesson written = lesson(T, 768);
    const std::string text =
        json_text({{"tokens", written.tokens}, {"embeddings", tensor_json(written.embeddings)}},
                  attn::JsonLayout::indented);
    measure(state, 0, [&] {
        const attn::Lesson read = attn::read_lesson(text, "lesson.json");
        benchmark::DoNotOptimize(read.embeddings.values().data());
        return Work{0.0, static_cast<double>(text.size())};
    });
}

void add(const std::string& name, const std::function<void(benchmark::State&)>& run) {
    benchmark::RegisterBenchmark(name.c_str(), run)->Unit(benchmark::kMillisecond);
}

void add_attention(bool fused, AttentionSizes sizes) {
    add(fmt::format("{}_attention/{}/{}/{}/{}", fused ? "fused" : "materialised", sizes.T, sizes.H, sizes.D,
                    sizes.threads),
        [=](benchmark::State& state) { attention(state, fused, sizes); });
}

}  // namespace

int main(int argc, char** argv) {
    for (const attn::Level level : {attn::Level::baseline, attn::Level::v3, attn::Level::v4}) {
        for (const std::size_t threads : {1U, 2U}) {
            if (attn::has_level(level)) {
                add(fmt::format("fma_peak/{}/{}", attn::level_name(level), threads),
                    [=](benchmark::State& state) { fma_peak(state, level, threads); });
            }
        }
    }
    for (const std::size_t threads : {1U, 2U}) {
        for (const std::size_t n : {64U, 256U, 768U, 1536U}) {
            add(fmt::format("matmul/{}/{}", n, threads),
                [=](benchmark::State& state) { matmul(state, n, threads); });
        }
        for (const std::size_t T : {256U, 1024U, 4096U}) {
            add_attention(true, {T, 12, 64, threads});
        }
        add_attention(true, {16384, 2, 64, threads});
        for (const std::size_t T : {256U, 1024U}) {
            add_attention(false, {T, 12, 64, threads});
            add(fmt::format("gpt2_layer/{}/{}", T, threads),
                [=](benchmark::State& state) { gpt2_layer(state, T, threads); });
        }
    }
    for (const std::size_t T : {64U, 1024U}) {
        add(fmt::format("json_export/{}", T), [=](benchmark::State& state) { json_export(state, T); });
    }
    for (const std::size_t T : {64U, 4096U}) {
        add(fmt::format("json_import/{}", T), [=](benchmark::State& state) { json_import(state, T); });
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return 2;
    }
    benchmark::RunSpecifiedBenchmarks();
}
