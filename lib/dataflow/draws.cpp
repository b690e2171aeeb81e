#include "dataflow/draws.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tensor/numpy.hpp"

namespace attn::flow {

namespace {

Shape drawn_shape(const Given& given, std::size_t position) {
    Sizes sizes;
    for (const std::int64_t size : given.integers("size", position)) {
        sizes.push_back(static_cast<std::size_t>(std::max<std::int64_t>(size, 0)));
    }
    return Shape(sizes);
}

Tensor scaled(Tensor x, double scale, double shift) {
    for (float& number : x.values()) {
        number = static_cast<float>(static_cast<double>(number) * scale + shift);
    }
    return x;
}

Draw uniform_draw(const Shape& shape, bool is_numpy, double from, double to) {
    return {"rand", shape, [=](Stream& of) {
                return of.pcg64 ? scaled(numpy::random(*of.pcg64, shape), to - from, from)
                       : is_numpy
                           ? scaled(numpy::rand(*of.generator, shape), to - from, from)
                           : uniform(*of.generator, shape, static_cast<float>(from), static_cast<float>(to));
            }};
}

Draw normal_draw(const Shape& shape, bool is_numpy, double mean, double deviation) {
    return {"randn", shape, [=](Stream& of) {
                return scaled(of.pcg64   ? numpy::standard_normal(*of.pcg64, shape)
                              : is_numpy ? numpy::randn(*of.generator, shape)
                                         : randn(*of.generator, shape),
                              deviation, mean);
            }};
}

// torch.randint(high, size) or (low, high, size): one draw each, modulo the range. So are the arguments of
// rng.integers.
Draw integer_draw(const Given& given) {
    const Value* const second = given.find("high", 1);
    const bool has_low = second != nullptr && second->is_number();
    const std::int64_t first = integer_of(Value::of(given.number("low", 0, 0.0)));
    const std::int64_t low = has_low ? first : 0;
    const std::int64_t high = has_low ? integer_of(*second) : first;
    constexpr std::int64_t most = 0xffffffff;
    if (high <= low || high - low > most) {
        not_followed();
    }
    const auto range = static_cast<std::uint64_t>(high - low);
    const Shape shape = drawn_shape(given, has_low ? 2 : 1);
    return {"randint", shape, [=](Stream& of) {
                if (of.pcg64) {
                    return numpy::integers(*of.pcg64, low, high, shape);
                }
                Tensor x(shape);
                for (float& number : x.values()) {
                    number =
                        static_cast<float>(low + static_cast<std::int64_t>(of.generator->next32() % range));
                }
                return x;
            }};
}

// nn.init, for weights of shape (d_out, d_in). torch/nn/init.py
std::optional<Draw> initial_draw(std::string_view function, const Given& given) {
    const bool is_xavier = function.starts_with("xavier_");
    if (!is_xavier && !function.starts_with("kaiming_")) {
        return std::nullopt;
    }
    const Shape shape = given.tensor("tensor", 0).shape();
    if (shape.rank() != 2) {
        not_followed();
    }
    const auto in = static_cast<double>(shape[1]);
    const auto out = static_cast<double>(shape[0]);
    const double a = given.number("a", 1, 0.0);
    const double deviation = is_xavier ? given.number("gain", 1, 1.0) * std::sqrt(2.0 / (in + out))
                                       : std::sqrt(2.0 / (1.0 + a * a)) / std::sqrt(in);
    const double bound = std::sqrt(3.0) * deviation;
    return function.ends_with("uniform_") ? uniform_draw(shape, false, -bound, bound)
                                          : normal_draw(shape, false, 0.0, deviation);
}

}  // namespace

std::optional<Draw> draw_of(std::string_view function, bool is_numpy, const Given& given) {
    // Uniform between two numbers, or normal with a mean and a deviation: 0 and 1 without keywords.
    struct Row {
        bool is_uniform;
        std::optional<std::size_t> sizes{};  // the position of the shape; without one it is that of a tensor
        std::string_view first{}, second{};  // the keywords of the two numbers
        bool is_of_numpy = false;
    };
    static const std::map<std::string_view, Row> rows{
        {"rand", {true, 0}},
        {"random", {true, 0, "", "", true}},
        {"random_sample", {true, 0, "", "", true}},
        {"rand_like", {true}},
        {"uniform", {true, 2, "low", "high", true}},
        {"uniform_", {true, {}, "a", "b"}},
        {"randn", {false, 0}},
        {"standard_normal", {false, 0, "", "", true}},
        {"randn_like", {false}},
        {"normal", {false, 2, "mean", "std"}},
        {"normal_", {false, {}, "mean", "std"}},
    };
    const bool is_integer = function == "randint" || function == "integers";
    const auto found = rows.find(function);
    if (found == rows.end() && !is_integer) {
        return initial_draw(function, given);
    }
    const bool has_type =
        given.find("dtype", by_keyword) != nullptr || given.find("endpoint", by_keyword) != nullptr;
    if (is_numpy && (has_type || function == "randint")) {
        not_followed();
    }
    if (is_integer) {
        return integer_draw(given);
    }
    const Row& of = found->second;
    const Shape shape = of.sizes ? drawn_shape(given, *of.sizes)
                                 : given.tensor(of.first.empty() ? "input" : "tensor", 0).shape();
    const auto number = [&](std::string_view keyword, std::string_view in_numpy, std::size_t i) {
        const std::size_t at = of.sizes ? i : i + 1;
        const auto otherwise = static_cast<double>(i);
        return keyword.empty() ? otherwise : given.number(keyword, at, given.number(in_numpy, at, otherwise));
    };
    const auto make = of.is_uniform ? uniform_draw : normal_draw;
    return make(shape, of.sizes && (of.is_of_numpy || is_numpy), number(of.first, "loc", 0),
                number(of.second, "scale", 1));
}

bool draws_unknown(std::string_view function) {
    static const std::set<std::string_view> unknown{"randperm",
                                                    "multinomial",
                                                    "bernoulli",
                                                    "bernoulli_",
                                                    "random_",
                                                    "exponential_",
                                                    "choice",
                                                    "permutation",
                                                    "shuffle",
                                                    "trunc_normal_",
                                                    "orthogonal_",
                                                    "poisson",
                                                    "Conv1d",
                                                    "Conv2d",
                                                    "LSTM",
                                                    "GRU",
                                                    "RNN",
                                                    "TransformerEncoderLayer",
                                                    "TransformerDecoderLayer",
                                                    "Transformer",
                                                    "DataLoader"};
    return unknown.contains(function);
}

}  // namespace attn::flow
