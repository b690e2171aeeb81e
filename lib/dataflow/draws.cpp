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
    std::vector<std::size_t> sizes;
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
    const auto first = static_cast<std::int64_t>(given.number("low", 0, 0.0));
    const std::int64_t low = has_low ? first : 0;
    const std::int64_t high = has_low ? static_cast<std::int64_t>(second->number) : first;
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
    using Make = Draw (*)(const Given&, bool);
    static const std::map<std::string_view, Make> draws{
        {"rand", [](const Given& of, bool in) { return uniform_draw(drawn_shape(of, 0), in, 0.0, 1.0); }},
        {"randn", [](const Given& of, bool in) { return normal_draw(drawn_shape(of, 0), in, 0.0, 1.0); }},
        {"rand_like",
         [](const Given& of, bool) { return uniform_draw(of.tensor("input", 0).shape(), false, 0.0, 1.0); }},
        {"randn_like",
         [](const Given& of, bool) { return normal_draw(of.tensor("input", 0).shape(), false, 0.0, 1.0); }},
        {"random", [](const Given& of, bool) { return uniform_draw(drawn_shape(of, 0), true, 0.0, 1.0); }},
        {"random_sample",
         [](const Given& of, bool) { return uniform_draw(drawn_shape(of, 0), true, 0.0, 1.0); }},
        {"standard_normal",
         [](const Given& of, bool) { return normal_draw(drawn_shape(of, 0), true, 0.0, 1.0); }},
        {"normal",
         [](const Given& of, bool in) {
             return normal_draw(drawn_shape(of, 2), in, of.number(in ? "loc" : "mean", 0, 0.0),
                                of.number(in ? "scale" : "std", 1, 1.0));
         }},
        {"uniform",
         [](const Given& of, bool) {
             return uniform_draw(drawn_shape(of, 2), true, of.number("low", 0, 0.0),
                                 of.number("high", 1, 1.0));
         }},
        {"uniform_",
         [](const Given& of, bool) {
             return uniform_draw(of.tensor("tensor", 0).shape(), false, of.number("a", 1, 0.0),
                                 of.number("b", 2, 1.0));
         }},
        {"normal_",
         [](const Given& of, bool) {
             return normal_draw(of.tensor("tensor", 0).shape(), false, of.number("mean", 1, 0.0),
                                of.number("std", 2, 1.0));
         }},
        {"randint",
         [](const Given& of, bool in) {
             if (in) {
                 not_followed();
             }
             return integer_draw(of);
         }},
        {"integers", [](const Given& of, bool) { return integer_draw(of); }},
    };
    const auto found = draws.find(function);
    const bool has_type = given.find("dtype", 1000) != nullptr || given.find("endpoint", 1000) != nullptr;
    if (is_numpy && has_type && found != draws.end()) {
        not_followed();
    }
    return found == draws.end() ? initial_draw(function, given) : found->second(given, is_numpy);
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
