// The list of all rows, and what several of them share.
#include "notebook/rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "tensor/elementwise.hpp"

namespace attn {

std::span<const Operation* const> operations() {
    static constexpr const Operation* all[] = {
        &rows::given,
        &rows::host_number,
        &rows::manual_seed,
        &rows::rand,
        &rows::randn,
        &rows::parameter,
        &rows::frozen_parameter,
        &rows::linear,
        &rows::weight,
        &rows::bias,
        &rows::ones,
        &rows::keep_mask,
        &rows::mkl_keep_mask,
        &rows::ternary,
        &rows::add,
        &rows::subtract,
        &rows::multiply,
        &rows::divide,
        &rows::maximum,
        &rows::divide_by,
        &rows::multiply_by,
        &rows::exp,
        &rows::abs,
        &rows::equal,
        &rows::as_bool,
        &rows::masked_fill,
        &rows::dropout,
        &rows::square_root,
        &rows::complement,
        &rows::matmul,
        &rows::dot,
        &rows::tril,
        &rows::tril_from,
        &rows::triu,
        &rows::softmax,
        &rows::sum,
        &rows::row_sums,
        &rows::row_means,
        &rows::row_maxima,
        &rows::kept_row_maxima,
        &rows::largest,
        &rows::at_most,
        &rows::as_float,
        &rows::alias,
        &rows::matrix_transpose,
        &rows::transpose,
        &rows::swap_axes,
        &rows::view,
        &rows::contiguous,
        &rows::select,
        &rows::corner,
        &rows::slice,
        &rows::stack,
        &rows::cat,
        &rows::with_last_row,
        &rows::row_dots,
        &rows::pair_dots,
        &rows::summed_products,
        &rows::weighted_rows,
        &rows::prefix_products,
        &rows::numpy_seed,
        &rows::numpy_randn,
        &rows::numpy_where,
        &rows::numpy_exp,
        &rows::numpy_row_sums,
    };
    return all;
}

namespace rows {

Cell number_cell(double value, const Number* reads) {
    return {Cell::number, {}, value, reads};
}

// As arithmetic with tensors takes it: float32.
Cell number_cell(const Call& call, std::string_view attribute) {
    const Number& number = call.number(attribute);
    return number_cell(static_cast<double>(static_cast<float>(number.value)), &number);
}

Cell part_cell(std::size_t part) {
    return {Cell::part, {part}};
}

Explanation explain_leaf(const Call&, Operands, const Tensor& result, const Index& cell) {
    return {"{}", {number_cell(static_cast<double>(result.at(cell)))}};
}

Explanation explain_same_cell(const Call&, Operands, const Tensor&, const Index& cell) {
    return {"{}", {{0, cell}}};
}

Explanation moved(const Cell& from, Reason reason) {
    return {"{}", {from}, {}, std::move(reason)};
}

Cell broadcast_cell(Operands operands, std::size_t operand, const Tensor& result, const Index& cell) {
    return {operand, broadcast_index(operands[operand]->shape(), result.shape(), cell)};
}

std::vector<Cell> all_cells(Operands operands) {
    std::vector<Cell> cells;
    for (std::size_t i = 0; i < operands[0]->count(); ++i) {
        cells.push_back({0, operands[0]->index(i)});
    }
    return cells;
}

std::vector<Cell> row_cells(Operands operands, const Index& cell) {
    std::vector<Cell> cells;
    for (std::size_t i = 0; i < operands[0]->size(-1); ++i) {
        cells.push_back({0, cell});
        cells.back().index[operands[0]->rank() - 1] = i;
    }
    return cells;
}

Explanation joined(std::vector<Cell> cells, std::string_view term, std::string_view separator) {
    std::size_t cells_of_term = 0;
    for (std::size_t i = term.find("{}"); i != std::string_view::npos; i = term.find("{}", i + 2)) {
        ++cells_of_term;
    }
    const std::vector<std::string_view> terms(cells.size() / cells_of_term, term);
    return {fmt::format("{}", fmt::join(terms, separator)), std::move(cells)};
}

Explanation largest_of(std::vector<Cell> cells) {
    Explanation explanation = joined(std::move(cells), "{}", ", ");
    explanation.text = fmt::format("max({})", explanation.text);
    return explanation;
}

Explanation truth_of(Cell left, std::string_view sign, Cell right) {
    return {fmt::format("[{{}} {} {{}}]", sign), {left, right}};
}

std::string_view no_grad_fn(const Call&, Operands) {
    return "";
}

Cost no_cost(Operands, const Tensor&) {
    return {};
}

Cost cost_of_moving(Operands operands, const Tensor& result) {
    Cost cost{0, result.count() * sizeof(float)};
    for (const Tensor* operand : operands) {
        cost.bytes += operand->count() * sizeof(float);
    }
    return cost;
}

Cost cost_per_cell(Operands operands, const Tensor& result) {
    return {result.count(), cost_of_moving(operands, result).bytes};
}

Cost cost_per_operand_cell(Operands operands, const Tensor& result) {
    return {operands[0]->count(), cost_of_moving(operands, result).bytes};
}

}  // namespace rows

}  // namespace attn
