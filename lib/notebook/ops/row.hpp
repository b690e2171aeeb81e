// Helpers for rows of operations: kernels as `evaluate` functions, and explanations of cells. Only the files
// of this folder and programs that define operations need them.
#pragma once

#include <string_view>
#include <vector>

#include "notebook/notebook.hpp"

namespace attn {

// Evaluates a kernel of one tensor, of two, or of one and the attribute `value`.
template <Tensor (*kernel)(const Tensor&)>
Tensor unary(const Call&, Operands x, Generator&) {
    return kernel(*x[0]);
}
template <Tensor (*kernel)(const Tensor&, const Tensor&)>
Tensor binary(const Call&, Operands x, Generator&) {
    return kernel(*x[0], *x[1]);
}
template <Tensor (*kernel)(const Tensor&, double)>
Tensor with_value(const Call& call, Operands x, Generator&) {
    return kernel(*x[0], call.value("value"));
}
// Returns operand 0.
Tensor operand_itself(const Call&, Operands x, Generator&);

// Returns an attribute of the call as arithmetic with tensors uses it: rounded to float32.
Expr number_of(const Call& call, std::string_view attribute);
// Returns the number of the operand's cell that broadcasting pairs with a cell of the result.
float broadcast_value(Operands operands, std::size_t operand, const Tensor& result, const Index& cell);
// Returns all cells of operand 0, in order.
std::vector<Expr> all_cells(Operands operands);
// Returns the cells of operand 0 in the row of a cell of the result.
std::vector<Expr> row_cells(Operands operands, const Index& cell);

// Make a fact of an attribute of the call, a number, or text.
Fact fact(const Call& call, std::string_view attribute);
Fact fact(std::string_view name, const Expr& number);
Fact fact(std::string_view name, std::string text);
Fact fact(std::string_view name, std::uint64_t number);

// Explains a leaf, which has no other explanation.
Explanation explain_leaf(const Call&, Operands, const Tensor& result, const Index& cell);
// Explains a cell by the cell of operand 0 at the same place.
Explanation explain_same_cell(const Call&, Operands, const Tensor& result, const Index& cell);
// Explains a cell by a cell of an operand at a different place.
Explanation moved(std::size_t operand, const Index& from, Reason reason = {});

// Returns `factor` for a cell that was multiplied by 0 and was not 0 itself.
CellKind hidden_by_factor(Operands x, const Tensor& result, const Index& cell, CellKind factor);

// Returns the operand's strides, for a view that keeps them.
std::optional<Strides> same_strides(const Call&, const Shape& operand, const Strides& strides,
                                    const Shape& result);

}  // namespace attn
