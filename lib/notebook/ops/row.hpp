// Shared by several operations: calls of kernels and explanations of cells. Only the files of this folder,
// and programs that define operations of their own, need it.
#pragma once

#include <string_view>
#include <vector>

#include "notebook/notebook.hpp"

namespace attn {

// Evaluating a kernel of one tensor, of two, or of one and the attribute `value`.
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
// Evaluating to operand 0 itself.
Tensor operand_itself(const Call&, Operands x, Generator&);

// An attribute of the call, as arithmetic with tensors takes it: float32.
Expr number_of(const Call& call, std::string_view attribute);
// The number in the cell of an operand that broadcasting pairs with a cell of the result.
float broadcast_value(Operands operands, std::size_t operand, const Tensor& result, const Index& cell);
// All cells of operand 0, in order.
std::vector<Expr> all_cells(Operands operands);
// The cells of the row of operand 0 that a cell of the result is about.
std::vector<Expr> row_cells(Operands operands, const Index& cell);

// A fact that is an attribute of the call, a number, or text.
Fact fact(const Call& call, std::string_view attribute);
Fact fact(std::string_view name, const Expr& number);
Fact fact(std::string_view name, std::string text);
Fact fact(std::string_view name, std::uint64_t number);

// A leaf is its own explanation.
Explanation explain_leaf(const Call&, Operands, const Tensor& result, const Index& cell);
// The number of operand 0 at the same place.
Explanation explain_same_cell(const Call&, Operands, const Tensor& result, const Index& cell);
// The number of an operand's cell, which the operation put elsewhere.
Explanation moved(std::size_t operand, const Index& from, Reason reason = {});

// A cell is hidden that was multiplied by a 0 and was none itself, in the way of that factor.
CellKind hidden_by_factor(Operands x, const Tensor& result, const Index& cell, CellKind factor);

// A view that steps through memory as its operand does.
std::optional<Strides> same_strides(const Call&, const Shape& operand, const Strides& strides,
                                    const Shape& result);

}  // namespace attn
