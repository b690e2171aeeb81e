// Recording one call of arithmetic each, and the numbers stages read off a tensor.
#include "notebook/operations.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "notebook/rows.hpp"
#include "notebook/vocabulary.hpp"

namespace attn {

Var operator+(Var a, Var b) {
    return a.notebook->record(rows::add, {a, b});
}

Var operator-(Var a, Var b) {
    return a.notebook->record(rows::subtract, {a, b});
}

Var operator*(Var a, Var b) {
    return a.notebook->record(rows::multiply, {a, b});
}

Var operator*(Var x, const Number& by) {
    return x.notebook->record(rows::multiply_by, {x}, {{"by", {by}}});
}

Var operator/(Var a, Var b) {
    return a.notebook->record(rows::divide, {a, b});
}

Var maximum(Var a, Var b) {
    return a.notebook->record(rows::maximum, {a, b});
}

Var operator/(Var x, const Number& by) {
    return x.notebook->record(rows::divide_by, {x}, {{"by", {by}}});
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

Var equal(Var x, const Number& to) {
    return x.notebook->record(rows::equal, {x}, {{"to", {to}}});
}

Var as_bool(Var x) {
    return x.notebook->record(rows::as_bool, {x});
}

Var masked_fill(Var x, Var mask, const Number& value) {
    return x.notebook->record(rows::masked_fill, {x, mask}, {{"value", {value}}});
}

Var dropout(Var generator, Var x, const Number& p) {
    Notebook& notebook = *x.notebook;
    const Var keep = notebook.record(rows::keep_mask, {generator, x}, {{"p", {p}}});
    return notebook.record(rows::dropout, {x, keep, generator}, {{"p", {p}}});
}

Var matmul(Var a, Var b) {
    return a.notebook->record(rows::matmul, {a, b});
}

Var dot(Var a, Var b) {
    return a.notebook->record(rows::dot, {a, b});
}

Var tril(Var x) {
    return x.notebook->record(rows::tril, {x});
}

Var tril(Var x, int diagonal) {
    return x.notebook->record(rows::tril_from, {x}, {{"diagonal", {literal(diagonal)}}});
}

Var triu(Var x, int diagonal) {
    return x.notebook->record(rows::triu, {x}, {{"diagonal", {literal(diagonal)}}});
}

Var softmax(Var x, int dim) {
    return x.notebook->record(rows::softmax, {x}, {{"dim", {literal(dim)}}});
}

Var sum(Var x) {
    return x.notebook->record(rows::sum, {x});
}

Var row_sums(Var x) {
    return x.notebook->record(rows::row_sums, {x});
}

Var row_means(Var x) {
    return x.notebook->record(rows::row_means, {x});
}

Var row_maxima(Var x) {
    return x.notebook->record(rows::row_maxima, {x});
}

Var kept_row_maxima(Var x) {
    std::vector<Number> size;
    for (std::size_t axis = 0; axis + 1 < x.value().rank(); ++axis) {
        size.push_back(extent(x, static_cast<int>(axis), "n"));
    }
    size.push_back(literal(1));
    return x.notebook->record(rows::kept_row_maxima, {x}, {{"size", std::move(size)}});
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
