// Helpers for rows of operations: kernels as `evaluate` functions, and explanations of cells. Only the files
// of this folder and programs that define operations need them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "notebook/notebook.hpp"

namespace attn {

// These evaluate a kernel of one tensor, of two tensors, or of a tensor and the attribute `value`.
template <Tensor (*kernel)(const Tensor&)>
Tensor unary(const Arguments& x) {
    return kernel(x[0]);
}
template <Tensor (*kernel)(const Tensor&, const Tensor&)>
Tensor binary(const Arguments& x) {
    return kernel(x[0], x[1]);
}
template <Tensor (*kernel)(const Tensor&, double)>
Tensor with_value(const Arguments& x) {
    return kernel(x[0], x.call.value("value"));
}
// These return operand 0: as a tensor, and as an expression.
Tensor operand_itself(const Arguments& x);
Expr itself(const Terms& x);

// Returns the sizes of a shape as attributes.
std::vector<Number> literals(const Shape& shape);
// Returns a seed. Languages that reject more than 32 bits write the remainder: `seed % 2**32`.
Number seed_number(std::uint64_t seed, const std::array<bool, language_count>& remainder);

// Returns all cells of operand 0, in order.
std::vector<Expr> all_cells(const CellOf& x);
// Returns the cells of operand 0 in the row of a cell of the result.
std::vector<Expr> row_cells(const CellOf& x);

// These make a fact from an attribute of the call, a number, or text.
Fact fact(const CellOf& x, std::string_view attribute);
Fact fact(std::string_view name, const Expr& number);
Fact fact(std::string_view name, std::string text);
Fact fact(std::string_view name, std::uint64_t number);

// Explains a number that was drawn or given.
Explanation given_number(const CellOf& x, Reason reason);

// Returns `factor` for a cell where operand 1 is 0 and operand 0 is not.
CellKind hidden_by_factor(const CellOf& x, CellKind factor);

}  // namespace attn
