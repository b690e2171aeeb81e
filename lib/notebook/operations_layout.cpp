// Recording what moves numbers and computes none.
#include "notebook/operations.hpp"

#include <algorithm>
#include <utility>

#include "notebook/rows.hpp"
#include "notebook/strides.hpp"

namespace attn {

Var transpose(Var x) {
    return x.notebook->record(rows::matrix_transpose, {x});
}

Var transpose(Var x, int dim0, int dim1) {
    const Shape& shape = x.value().shape();
    const bool matrices = std::min(shape.axis(dim0), shape.axis(dim1)) + 2 == shape.rank();
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

Var corner(Var x, const Number& rows, const Number& columns) {
    return x.notebook->record(rows::corner, {x},
                              {{"size", {rows, columns}}, {"rows", {rows}}, {"columns", {columns}}});
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

}  // namespace attn
