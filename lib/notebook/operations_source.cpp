// Recording what is made from nothing.
#include "notebook/operations.hpp"

#include <fmt/format.h>

#include <utility>

#include "notebook/rows.hpp"

namespace attn {

Var host_number(Notebook& notebook, const Number& number) {
    return notebook.record(rows::host_number, {}, {{"value", {number}}});
}

Var manual_seed(Notebook& notebook, std::uint64_t seed) {
    Number number{static_cast<double>(seed), {}};
    number.reads.fill(fmt::format("{}", seed));  // exact beyond 2^53
    if (seed >> 32 != 0) {  // NumPy refuses what does not fit 32 bits; PyTorch reads no more than those
        number.reads[static_cast<std::size_t>(Language::numpy)] += " % 2**32";
    }
    return notebook.record(rows::manual_seed, {}, {{"seed", {number}}});
}

Var mkl_keep_mask(Notebook& notebook, Generator& generator, const Shape& shape, const Number& p) {
    Number seed{static_cast<double>(generator.seed()), {}};
    seed.reads.fill(fmt::format("{}", generator.seed()));
    const Number drawn = literal(generator.drawn());
    std::vector<Number> size;
    for (const std::size_t length : shape) {
        size.push_back(literal(length));
    }
    keep_mask(generator, shape, p.value, DropoutRng::mkl);  // which moves the generator on
    return notebook.record(rows::mkl_keep_mask, {},
                           {{"seed", {seed}}, {"drawn", {drawn}}, {"p", {p}}, {"size", std::move(size)}});
}

Var linear(Var generator, const Number& in, const Number& out, bool bias) {
    return generator.notebook->record(rows::linear, {generator},
                                      {{"in", {in}}, {"out", {out}}, {"bias", {truth(bias)}}});
}

Var weight(Var layer) {
    const Call& call = layer.notebook->nodes()[layer.id].call;
    return layer.notebook->record(rows::weight, {layer}, {{"size", {call.number("out"), call.number("in")}}});
}

Var bias(Var layer) {
    const Call& call = layer.notebook->nodes()[layer.id].call;
    return layer.notebook->record(rows::bias, {layer}, {{"size", {call.number("out")}}});
}

Var ones(Notebook& notebook, std::vector<Number> size) {
    return notebook.record(rows::ones, {}, {{"size", std::move(size)}});
}

Var rand(Var generator, std::vector<Number> size) {
    return generator.notebook->record(rows::rand, {generator}, {{"size", std::move(size)}});
}

Var randn(Var generator, std::vector<Number> size) {
    return generator.notebook->record(rows::randn, {generator}, {{"size", std::move(size)}});
}

Var ternary(Notebook& notebook, std::size_t start, std::vector<Number> size) {
    constexpr double modulus = 10007;  // a prime: the squares repeat no sooner than after that many
    const auto first = static_cast<double>(start);
    double stop = 1.0;
    for (const Number& length : size) {
        stop *= length.value;
    }
    return notebook.record(rows::ternary, {},
                           {{"start", {literal(first)}},
                            {"stop", {literal(first + stop)}},
                            {"modulus", {literal(modulus)}},
                            {"size", std::move(size)}});
}

Var parameter(Var x) {
    return x.notebook->record(rows::parameter, {x});
}

Var frozen_parameter(Var x) {
    return x.notebook->record(rows::frozen_parameter, {x});
}

}  // namespace attn
