// Recording one call each, and the numbers stages read off a tensor.
#include "notebook/operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "notebook/render.hpp"
#include "notebook/rows.hpp"
#include "notebook/strides.hpp"
#include "notebook/vocabulary.hpp"
#include "tensor/layout.hpp"

namespace attn {

Var host_number(Notebook& notebook, const Number& number) {
    return notebook.record(rows::host_number, {}, {{"value", {number}}});
}

namespace {

Number seed_number(std::uint64_t seed) {
    Number number = literal(static_cast<double>(seed));
    number.reads.fill(fmt::format("{}", seed));  // exact beyond 2^53
    return number;
}

}  // namespace

Var manual_seed(Notebook& notebook, std::uint64_t seed) {
    return notebook.record(rows::manual_seed, {}, {{"seed", {seed_number(seed)}}});
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

Var operator+(Var a, Var b) {
    return a.notebook->record(rows::add, {a, b});
}
Var operator*(Var a, Var b) {
    return a.notebook->record(rows::multiply, {a, b});
}
Var operator/(Var a, Var b) {
    return a.notebook->record(rows::divide, {a, b});
}
Var operator/(Var x, const Number& by) {
    return x.notebook->record(rows::divide_by, {x}, {{"by", {by}}});
}
Var as_bool(Var x) {
    return x.notebook->record(rows::as_bool, {x});
}

Var masked_fill(Var x, Var mask, const Number& value) {
    return x.notebook->record(rows::masked_fill, {x, mask}, {{"value", {value}}});
}

Var dropout(Var generator, Var x, const Number& p) {
    Notebook& notebook = *x.notebook;
    const bool draws = p.value > 0.0 && p.value < 1.0;
    const Var keep = draws ? notebook.record(rows::keep_mask, {generator, x}, {{"p", {p}}})
                           : notebook.given(full(x.value().shape(), p.value == 0.0 ? 1.0F : 0.0F));
    return notebook.record(rows::dropout, {x, keep}, {{"p", {p}}});
}

Var matmul(Var a, Var b) {
    return a.notebook->record(rows::matmul, {a, b});
}
Var transpose(Var x) {
    return x.notebook->record(rows::matrix_transpose, {x});
}
Var tril(Var x) {
    return x.notebook->record(rows::tril, {x});
}

Var triu(Var x, int diagonal) {
    return x.notebook->record(rows::triu, {x}, {{"diagonal", {literal(diagonal)}}});
}

Var softmax(Var x, int dim) {
    return x.notebook->record(rows::softmax, {x}, {{"dim", {literal(dim)}}});
}

Var row_sums(Var x) {
    return x.notebook->record(rows::row_sums, {x});
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

Var operator-(Var a, Var b) {
    return a.notebook->record(rows::subtract, {a, b});
}

Var operator*(Var x, const Number& by) {
    return x.notebook->record(rows::multiply_by, {x}, {{"by", {by}}});
}

Var equal(Var x, const Number& to) {
    return x.notebook->record(rows::equal, {x}, {{"to", {to}}});
}

Var exp(Var x) {
    return x.notebook->record(rows::exp, {x});
}

Var square_root(Var x) {
    return x.notebook->record(rows::square_root, {x});
}

Var complement(Var x) {
    return x.notebook->record(rows::complement, {x});
}

Var abs(Var x) {
    return x.notebook->record(rows::abs, {x});
}

Var dot(Var a, Var b) {
    return a.notebook->record(rows::dot, {a, b});
}

Var sum(Var x) {
    return x.notebook->record(rows::sum, {x});
}

Var row_means(Var x) {
    return x.notebook->record(rows::row_means, {x});
}

Var row_maxima(Var x) {
    return x.notebook->record(rows::row_maxima, {x});
}

Var largest(Var x) {
    return x.notebook->record(rows::largest, {x});
}

Var at_most(Var a, Var b) {
    return a.notebook->record(rows::at_most, {a, b});
}

Var as_float(Var x) {
    return x.notebook->record(rows::as_float, {x});
}

Var agree(Var a, Var b) {
    constexpr double noise = 1e-5;
    return as_float(at_most(largest(abs(a - b)), largest(abs(b)) * literal(noise)));
}

Var transpose(Var x, int dim0, int dim1) {
    const Shape& shape = x.value().shape();
    const bool matrices =
        shape.rank() >= 2 && std::min(shape.axis(dim0), shape.axis(dim1)) + 2 == shape.rank();
    return x.notebook->record(matrices ? rows::transpose : rows::swap_axes, {x},
                              {{"dim0", {literal(dim0)}}, {"dim1", {literal(dim1)}}});
}

Var view(Var x, std::vector<Number> size) {
    const Var result = x.notebook->record(rows::view, {x}, {{"size", std::move(size)}});
    strides(*result.notebook, result.id);  // throws where PyTorch does
    return result;
}

Var contiguous(Var x) {
    const bool copies = !is_row_major(x.value().shape(), strides(*x.notebook, x.id));
    return x.notebook->record(rows::contiguous, {x}, {{"copies", {truth(copies)}}});
}

Var select(Var x, std::vector<Number> index) {
    return x.notebook->record(rows::select, {x}, {{"index", std::move(index)}});
}

Var corner(Var x, const Number& height, const Number& width) {
    return x.notebook->record(rows::corner, {x},
                              {{"size", {height, width}}, {"rows", {height}}, {"columns", {width}}});
}

Var slice(Var x, const Number& from, const Number& to) {
    return x.notebook->record(rows::slice, {x}, {{"from", {from}}, {"to", {to}}});
}

Var stack(const std::vector<Var>& parts) {
    return parts.at(0).notebook->record(rows::stack, parts);
}

Var cat(const std::vector<Var>& parts, int dim) {
    return parts.at(0).notebook->record(rows::cat, parts, {{"dim", {literal(dim)}}});
}

Var with_last_row(Var x, Var row) {
    return x.notebook->record(rows::with_last_row, {x, row});
}

Var row_dots(Var vectors, Var x) {
    return x.notebook->record(rows::row_dots, {vectors, x});
}

Var pair_dots(Var vectors, Var others) {
    return vectors.notebook->record(rows::pair_dots, {vectors, others});
}

Var summed_products(Var a, Var b) {
    return a.notebook->record(rows::summed_products, {a, b});
}

Var weighted_rows(Var weights, Var vectors) {
    return weights.notebook->record(rows::weighted_rows, {weights, vectors});
}

Var prefix_products(Var vectors, Var others, Var widths) {
    return vectors.notebook->record(rows::prefix_products, {vectors, others, widths});
}

namespace numpy {

Var seed(Notebook& notebook, std::uint64_t seed) {
    Number number = seed_number(seed);
    if (seed >> 32 != 0) {  // NumPy refuses what does not fit 32 bits
        number.reads.fill(fmt::format("{} % 2**32", seed));
    }
    return notebook.record(rows::numpy_seed, {}, {{"seed", {number}}});
}

Var randn(Var generator, std::vector<Number> size) {
    return generator.notebook->record(rows::numpy_randn, {generator}, {{"size", std::move(size)}});
}

Var where(Var condition, Var x, const Number& otherwise) {
    return x.notebook->record(rows::numpy_where, {condition, x}, {{"value", {otherwise}}});
}

Var exp(Var x) {
    return x.notebook->record(rows::numpy_exp, {x});
}

Var row_maxima(Var x) {
    return x.notebook->record(rows::numpy_row_maxima, {x});
}

Var row_sums(Var x) {
    return x.notebook->record(rows::numpy_row_sums, {x});
}

}  // namespace numpy

Number extent(Var x, int axis, std::string_view letter) {
    const std::string& name = x.notebook->nodes()[x.id].name;
    const std::string python = fmt::format("{}.shape[{}]", name, axis);
    return {static_cast<double>(x.value().size(axis)),
            {python, python, fmt::format("{}.size({})", name, axis), symbol(letter)}};
}

Number root_dk(Var keys) {
    Number number = extent(keys, -1, "d_k");
    number.value = std::sqrt(number.value);
    for (const Language language : {Language::torch, Language::numpy}) {
        number.reads[static_cast<std::size_t>(language)] += "**0.5";
    }
    std::string& cpp = number.reads[static_cast<std::size_t>(Language::cpp)];
    cpp = fmt::format("std::sqrt({})", cpp);
    std::string& mathml = number.reads[static_cast<std::size_t>(Language::mathml)];
    mathml = fmt::format("<msqrt>{}</msqrt>", mathml);
    return number;
}

}  // namespace attn
