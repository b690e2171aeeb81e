// The rows of all operations, and what several of them share. Stages never need this: they call
// operations.hpp.
#pragma once

#include <string_view>
#include <vector>

#include "notebook/operation.hpp"

namespace attn::rows {

// Made from nothing: data, numbers, draws.
extern const Operation given, host_number, manual_seed, rand, randn, parameter, frozen_parameter, linear,
    weight, bias, ones, keep_mask, mkl_keep_mask, ternary;
// Cell by cell.
extern const Operation add, subtract, multiply, divide, maximum, divide_by, multiply_by, exp, abs, equal,
    as_bool, masked_fill, dropout, square_root, complement;
// Rows and columns.
extern const Operation matmul, dot, tril, tril_from, triu, softmax, sum, row_sums, row_means, row_maxima,
    kept_row_maxima;
// Whether two ways agree.
extern const Operation largest, at_most, as_float;
// The same numbers elsewhere.
extern const Operation alias, matrix_transpose, transpose, swap_axes, view, contiguous, select, corner, slice,
    stack, cat, with_last_row;
// Loops.
extern const Operation row_dots, pair_dots, summed_products, weighted_rows, prefix_products;
// As NumPy does it, where its bits are others than PyTorch's.
extern const Operation numpy_seed, numpy_randn, numpy_where, numpy_exp, numpy_row_sums;

// What C++ includes for the functions of lib/tensor.
namespace header {
inline constexpr std::string_view elementwise = "#include \"tensor/elementwise.hpp\"";
inline constexpr std::string_view layout = "#include \"tensor/layout.hpp\"";
inline constexpr std::string_view matmul = "#include \"tensor/matmul.hpp\"";
inline constexpr std::string_view numpy = "#include \"tensor/numpy.hpp\"";
inline constexpr std::string_view random = "#include \"tensor/random.hpp\"";
inline constexpr std::string_view reduce = "#include \"tensor/reduce.hpp\"";
inline constexpr std::string_view softmax = "#include \"tensor/softmax.hpp\"";
}  // namespace header

// A number of the call, and how code writes it.
Cell number_cell(double value, const Number* reads = nullptr);
Cell number_cell(const Call& call, std::string_view attribute);
// What an earlier part comes to.
Cell part_cell(std::size_t part);

// A leaf is its own explanation.
Explanation explain_leaf(const Call&, Operands, const Tensor& result, const Index& cell);
// The number of operand 0 at the same place.
Explanation explain_same_cell(const Call&, Operands, const Tensor& result, const Index& cell);
// The number of an operand's cell, which the operation put elsewhere.
Explanation moved(const Cell& from, Reason reason = {});
// The cell of an operand that broadcasting pairs with a cell of the result.
Cell broadcast_cell(Operands operands, std::size_t operand, const Tensor& result, const Index& cell);

// All cells of operand 0, in order.
std::vector<Cell> all_cells(Operands operands);
// The cells of the row of operand 0 that a cell of the result is about.
std::vector<Cell> row_cells(Operands operands, const Index& cell);
// The term again and again, as often as the cells fill it: `{}·{} + {}·{}` from "{}·{}", " + " and four
// cells.
Explanation joined(std::vector<Cell> cells, std::string_view term, std::string_view separator);
// max({}, {}, …)
Explanation largest_of(std::vector<Cell> cells);
// 1 or 0, as [{} ≤ {}] is true or not.
Explanation truth_of(Cell left, std::string_view sign, Cell right);

// Of leaves, and of what no gradient passes through: comparisons, and what is filled in cell by cell.
std::string_view no_grad_fn(const Call&, Operands);

// PyTorch's views and names move nothing.
Cost no_cost(Operands, const Tensor&);
// Numbers moved or written, none computed.
Cost cost_of_moving(Operands operands, const Tensor& result);
// One operation for each number of the result.
Cost cost_per_cell(Operands operands, const Tensor& result);
// One operation for each number of operand 0.
Cost cost_per_operand_cell(Operands operands, const Tensor& result);

}  // namespace attn::rows
