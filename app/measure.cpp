#include "measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <sstream>
#include <vector>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "attention/fused_attention.hpp"
#include "log_plot.hpp"
#include "progress.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"
#include "tensor/levels.hpp"
#include "tensor/matmul.hpp"
#include "tensor/random.hpp"
#include "tensor/softmax.hpp"
#include "tensor/threads.hpp"
#include "text/printable.hpp"
#include "text/prose.hpp"
#include "words/words.hpp"

namespace attn {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double most_seconds = 5.0;
constexpr double enough_seconds = 0.2;  // of one length, one algorithm
constexpr std::size_t most_runs = 15;
constexpr double most_mebibytes = 256.0;  // of one tensor
constexpr double most_numbers = most_mebibytes * 1024 * 1024 / sizeof(float);
constexpr double least_operations_rate = 1e9;  // per second; a guess before the first run

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// 2·n²·d: what the pairs that are not in the future need, of both products.
double useful_operations(double n, double d) {
    return 2.0 * n * n * d;
}

double median_seconds(const std::function<Tensor()>& run) {
    std::vector<double> times;
    const Clock::time_point first = Clock::now();
    do {
        const Clock::time_point start = Clock::now();
        const Tensor result = run();
        times.push_back(seconds_since(start));
    } while (times.size() < most_runs && seconds_since(first) < enough_seconds);
    if (times.size() > 2) {
        times.erase(times.begin());  // the first finds caches and memory cold
    }
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::ranges::nth_element(times, middle);
    return *middle;
}

struct Algorithm {
    char mark;
    double numbers_per_pair;  // held at once: 0 where that does not grow with n²
    Tensor (*run)(const Tensor& queries, const Tensor& keys, const Tensor& values, const Tensor& mask);
    std::vector<Point> times{};  // n, milliseconds
};

Tensor run_materialised(const Tensor& queries, const Tensor& keys, const Tensor& values, const Tensor& mask) {
    const Tensor scores =
        div(matmul(queries, transpose(keys, 0, 1)), std::sqrt(static_cast<double>(keys.size(-1))));
    const Tensor masked = masked_fill(scores, mask, -std::numeric_limits<float>::infinity());
    return matmul(softmax(masked, -1), values);
}

Tensor run_fused(const Tensor& queries, const Tensor& keys, const Tensor& values, const Tensor&) {
    return fused_causal_attention(queries, keys, values);
}

// The time of one length, unless memory or what is left of the time would not do.
void measure(Algorithm& algorithm, std::size_t length, std::size_t width, Clock::time_point start) {
    const auto n = static_cast<double>(length);
    const auto d = static_cast<double>(width);
    const double before = algorithm.times.empty()
                              ? 1e3 * useful_operations(n, d) / least_operations_rate
                              : algorithm.times.back().y * std::pow(n / algorithm.times.back().x, 2.0);
    if (n * d > most_numbers || algorithm.numbers_per_pair * n * n > most_numbers ||
        seconds_since(start) + before / 1e3 > most_seconds) {
        return;
    }
    Generator generator(123);
    const Tensor queries = randn(generator, Shape{length, width});
    const Tensor keys = randn(generator, Shape{length, width});
    const Tensor values = randn(generator, Shape{length, width});
    const Tensor mask = algorithm.numbers_per_pair > 0 ? triu(ones(Shape{length, length}), 1) : Tensor();
    algorithm.times.push_back(
        {n, 1e3 * median_seconds([&] { return algorithm.run(queries, keys, values, mask); })});
}

std::string cells(const Algorithm& algorithm, double n, double d) {
    const auto found = std::ranges::find(algorithm.times, n, &Point::x);
    if (found == algorithm.times.end()) {
        return fmt::format("{:>12}{:>12}", "-", "-");
    }
    return fmt::format("{:>12.3f}{:>12.1f}", found->y, useful_operations(n, d) / found->y / 1e6);
}

std::string processor() {
#if defined(__x86_64__)
    unsigned int brand[13] = {};  // 48 letters, padded with spaces or zeros; where there are none, zeros
    for (unsigned int part = 0; part < 3; ++part) {
        unsigned int* const four = brand + std::size_t{4} * part;
        __get_cpuid(0x80000002U + part, four, four + 1, four + 2, four + 3);
    }
    std::istringstream words(reinterpret_cast<const char*>(brand));
    std::string name;
    for (std::string word; words >> word;) {
        name += (name.empty() ? "" : " ") + word;
    }
    return name.empty() ? "x86-64" : printable(name);
#elif defined(__aarch64__)
    return "ARM64";
#else
    return "?";
#endif
}

std::string_view compiler() {
#if defined(__clang__)
    return __VERSION__;  // "Clang 14.0.6"
#else
    return "gcc " __VERSION__;
#endif
}

std::string_view level_name() {
    constexpr std::string_view names[] = {"baseline", "x86-64-v3", "x86-64-v4"};
    return names[static_cast<std::size_t>(level())];
}

#if defined(__OPTIMIZE__)
constexpr std::string_view build = "optimised";
#else
constexpr std::string_view build = "not_optimised";
#endif

}  // namespace

std::string measured(const Parameters& parameters, std::string_view language) {
    const Words phrases(language, "program");
    Algorithm materialised{'m', 1.0, run_materialised};
    Algorithm fused{'s', 0.0, run_fused};
    const std::size_t width = parameters.d_out;
    const Clock::time_point start = Clock::now();
    {
        Progress progress;
        for (const std::size_t n : parameters.sequence_lengths.all()) {
            progress.report(fmt::format("--measure · n = {}", n));
            measure(materialised, n, width, start);
            measure(fused, n, width, start);
        }
    }
    std::string text = wrapped(phrases("measured", fmt::format("{}", width), fmt::format("{}", most_seconds),
                                       fmt::format("{}", most_mebibytes))) +
                       "\n";
    text += fmt::format("{:>9}{:>12}{:>12}{:>12}{:>12}\n", "n", "m: ms", "GFLOP/s", "s: ms", "GFLOP/s");
    for (const std::size_t length : parameters.sequence_lengths.all()) {
        const auto n = static_cast<double>(length);
        const auto d = static_cast<double>(width);
        text += fmt::format("{:>9}{}{}\n", length, cells(materialised, n, d), cells(fused, n, d));
    }
    std::string exponents;
    for (const Algorithm& algorithm : {materialised, fused}) {
        if (algorithm.times.size() > 1) {
            exponents += fmt::format("{}{:.2f} ({})", exponents.empty() ? "" : ", ",
                                     growth_exponent(algorithm.times), algorithm.mark);
        }
    }
    text += "\n" +
            wrapped(exponents.empty() ? phrases("measured_too_few") : phrases("measured_growth", exponents));
    const std::string plot = log_plot({{materialised.mark, materialised.times}, {fused.mark, fused.times}});
    text += plot.empty() ? "" : "\n      ms\n" + plot + "\n";
    text += wrapped(phrases("measured_on", processor(), level_name(), fmt::format("{}", num_threads()),
                            compiler(), phrases(build)));
    return text;
}

}  // namespace attn
