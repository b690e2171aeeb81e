#include "notebook/ops/row.hpp"

#include <utility>

#include "tensor/elementwise.hpp"

namespace attn {

Tensor operand_itself(const Call&, Operands x, Generator&) {
    return *x[0];
}

Expr number_of(const Call& call, std::string_view attribute) {
    const Number& value = call.number(attribute);
    return number(static_cast<double>(static_cast<float>(value.value())), &value);
}

float broadcast_value(Operands operands, std::size_t operand, const Tensor& result, const Index& cell) {
    const Tensor& from = *operands[operand];
    return from.at(broadcast_index(from.shape(), result.shape(), cell));
}

std::vector<Expr> all_cells(Operands operands) {
    std::vector<Expr> cells;
    for (std::size_t i = 0; i < operands[0]->count(); ++i) {
        cells.push_back(cell_of(0, operands[0]->index(i)));
    }
    return cells;
}

std::vector<Expr> row_cells(Operands operands, const Index& cell) {
    std::vector<Expr> cells;
    for (std::size_t i = 0; i < operands[0]->size(-1); ++i) {
        cells.push_back(cell_of(0, cell));
        cells.back().leaf.index[operands[0]->rank() - 1] = i;
    }
    return cells;
}

Fact fact(const Call& call, std::string_view attribute) {
    return fact(attribute, number_of(call, attribute));
}

Fact fact(std::string_view name, const Expr& number) {
    return {name, number.leaf, ""};
}

Fact fact(std::string_view name, std::string text) {
    return {name, {}, std::move(text)};
}

Fact fact(std::string_view name, std::uint64_t number) {
    return {name, {}, std::to_string(number)};
}

Explanation explain_leaf(const Call&, Operands, const Tensor& result, const Index& cell) {
    return {number(static_cast<double>(result.at(cell)))};
}

Explanation explain_same_cell(const Call&, Operands, const Tensor&, const Index& cell) {
    return moved(0, cell);
}

Explanation moved(std::size_t operand, const Index& from, Reason reason) {
    return {cell_of(operand, from), {}, std::move(reason)};
}

CellKind hidden_by_factor(Operands x, const Tensor& result, const Index& cell, CellKind factor) {
    return factor != CellKind::number && result.at(cell) == 0.0F &&
                   broadcast_value(x, 1, result, cell) == 0.0F && broadcast_value(x, 0, result, cell) != 0.0F
               ? factor
               : CellKind::number;
}

std::optional<Strides> same_strides(const Call&, const Shape&, const Strides& strides, const Shape&) {
    return strides;
}

}  // namespace attn
