#include "notebook/ops/row.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "tensor/elementwise.hpp"

namespace attn {

Tensor operand_itself(const Call&, Operands x, Generator&) {
    return *x[0];
}

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

Cell broadcast_cell(Operands operands, std::size_t operand, const Tensor& result, const Index& cell) {
    return {operand, broadcast_index(operands[operand]->shape(), result.shape(), cell)};
}

float broadcast_value(Operands operands, std::size_t operand, const Tensor& result, const Index& cell) {
    return operands[operand]->at(broadcast_cell(operands, operand, result, cell).index);
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

Fact fact(const Call& call, std::string_view attribute) {
    return {attribute, number_cell(call, attribute), ""};
}

Fact fact(std::string_view name, const Cell& cell) {
    return {name, cell, ""};
}

Fact fact(std::string_view name, std::string text) {
    return {name, {}, std::move(text)};
}

Fact fact(std::string_view name, std::uint64_t number) {
    return {name, {}, std::to_string(number)};
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

Cost cost_per_operand_cell(Operands operands, const Tensor& result) {
    return {operands[0]->count(), cost_of_moving(operands, result).bytes};
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
