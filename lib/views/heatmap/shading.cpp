// Both questions are answered by going back from call to call: where a number came from through calls that
// work cell by cell, and whether anything negative could have come in.
#include "views/heatmap/shading.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <span>

#include "notebook/rows.hpp"

namespace attn {

namespace {

bool is_one_of(const Operation* operation, std::initializer_list<const Operation*> rows) {
    return std::ranges::find(rows, operation) != rows.end();
}

// The operand whose cells those of the result are made of one by one.
std::optional<std::size_t> operand_of_cells(const Call& call) {
    if (call.operation == &rows::numpy_where) {
        return 1;
    }
    if (is_one_of(call.operation, {&rows::subtract, &rows::multiply, &rows::divide, &rows::divide_by,
                                   &rows::multiply_by, &rows::exp, &rows::abs, &rows::softmax,
                                   &rows::masked_fill, &rows::dropout, &rows::as_float, &rows::contiguous,
                                   &rows::parameter, &rows::frozen_parameter, &rows::numpy_exp})) {
        return 0;
    }
    return std::nullopt;
}

enum class Factor { other, triangle, keep_mask };

// What a tensor that others are multiplied with was made from.
Factor factor_of(const Notebook& notebook, std::size_t id) {
    const Call& call = notebook.nodes()[id].call;
    if (is_one_of(call.operation, {&rows::tril, &rows::triu})) {
        return Factor::triangle;
    }
    if (call.operation == &rows::mkl_keep_mask) {
        return Factor::keep_mask;
    }
    const bool passes_on = is_one_of(
        call.operation, {&rows::divide_by, &rows::multiply_by, &rows::as_bool, &rows::as_float, &rows::equal,
                         &rows::complement, &rows::corner, &rows::select, &rows::view});
    return passes_on ? factor_of(notebook, call.inputs[0]) : Factor::other;
}

// What the call itself makes of a cell.
class Judge {
public:
    Judge(const Notebook& notebook, const Node& node)
        : node_(&node), operands_(notebook.operands(node.call)), operation_(node.call.operation) {
        if (operation_ == &rows::multiply) {
            factor_ = factor_of(notebook, node.call.inputs[1]);
        }
    }

    CellKind operator()(std::size_t place, float value) const {
        if (value == -INFINITY) {
            return CellKind::masked;
        }
        if (operation_ == &rows::masked_fill && operand(1, place) != 0.0F) {
            return CellKind::masked;
        }
        if (operation_ == &rows::numpy_where && operand(0, place) == 0.0F) {
            return CellKind::masked;
        }
        if (operation_ == &rows::dropout && value == 0.0F && operand(0, place) != 0.0F) {
            return CellKind::dropped;
        }
        if (factor_ != Factor::other && value == 0.0F && operand(1, place) == 0.0F &&
            operand(0, place) != 0.0F) {
            return factor_ == Factor::triangle ? CellKind::masked : CellKind::dropped;
        }
        return CellKind::number;
    }

private:
    float operand(std::size_t i, std::size_t place) const {
        const Index cell = node_->value.index(place);
        return operands_[i]->at(rows::broadcast_cell(operands_, i, node_->value, cell).index);
    }

    const Node* node_;
    std::vector<const Tensor*> operands_;
    const Operation* operation_;
    Factor factor_ = Factor::other;
};

std::vector<CellKind> kinds_of(const Notebook& notebook, std::size_t id) {
    const Node& node = notebook.nodes()[id];
    std::vector<CellKind> kinds(node.value.count(), CellKind::number);
    if (const std::optional<std::size_t> operand = operand_of_cells(node.call)) {
        const std::size_t source = node.call.inputs[*operand];
        if (notebook.nodes()[source].value.shape() == node.value.shape()) {
            kinds = kinds_of(notebook, source);
        }
    }
    const Judge judge(notebook, node);
    for (std::size_t place = 0; place < kinds.size(); ++place) {
        const CellKind kind = judge(place, node.value.values()[place]);
        kinds[place] = kind == CellKind::number ? kinds[place] : kind;
    }
    return kinds;
}

bool is_never_negative(const Notebook& notebook, std::size_t id) {
    const Call& call = notebook.nodes()[id].call;
    const auto all_inputs = [&] {
        return std::ranges::all_of(call.inputs,
                                   [&](std::size_t input) { return is_never_negative(notebook, input); });
    };
    if (is_one_of(call.operation,
                  {&rows::softmax, &rows::exp, &rows::numpy_exp, &rows::abs, &rows::square_root, &rows::ones,
                   &rows::rand, &rows::mkl_keep_mask, &rows::equal, &rows::as_bool, &rows::at_most})) {
        return true;
    }
    if (is_one_of(call.operation, {&rows::dropout, &rows::numpy_where, &rows::masked_fill})) {
        return is_never_negative(notebook, call.inputs[call.operation == &rows::numpy_where ? 1 : 0]) &&
               (call.operation == &rows::dropout || call.number("value").value >= 0.0);
    }
    if (is_one_of(call.operation, {&rows::divide_by, &rows::multiply_by})) {
        return call.number("by").value > 0.0 && all_inputs();
    }
    return is_one_of(call.operation, {&rows::add,
                                      &rows::multiply,
                                      &rows::divide,
                                      &rows::maximum,
                                      &rows::matmul,
                                      &rows::tril,
                                      &rows::triu,
                                      &rows::sum,
                                      &rows::row_sums,
                                      &rows::row_means,
                                      &rows::row_maxima,
                                      &rows::kept_row_maxima,
                                      &rows::largest,
                                      &rows::as_float,
                                      &rows::view,
                                      &rows::swap_axes,
                                      &rows::transpose,
                                      &rows::contiguous,
                                      &rows::matrix_transpose,
                                      &rows::select,
                                      &rows::corner,
                                      &rows::slice,
                                      &rows::stack,
                                      &rows::cat,
                                      &rows::with_last_row,
                                      &rows::parameter,
                                      &rows::frozen_parameter,
                                      &rows::numpy_row_sums}) &&
           all_inputs();
}

// Whether each row shares out a whole, however that was computed.
bool is_shares(const Tensor& x) {
    const std::size_t width = x.rank() == 0 ? 0 : x.size(-1);
    if (width == 0) {
        return false;
    }
    for (std::size_t start = 0; start < x.count(); start += width) {
        const auto row = x.values().subspan(start, width);
        double sum = 0;
        for (const float share : row) {
            if (!(share >= 0.0F && share <= 1.0F)) {
                return false;
            }
            sum += static_cast<double>(share);
        }
        if (std::abs(sum - 1.0) > 1e-4) {
            return false;
        }
    }
    return true;
}

}  // namespace

Colour Shading::colour(std::size_t place, float value) const {
    return kinds[place] == CellKind::masked || !std::isfinite(value)
               ? masked_grey
               : colour_at(scale, position_of(value, largest));
}

Shading shading_of(const Notebook& notebook, std::size_t node) {
    const Tensor& value = notebook.nodes()[node].value;
    Shading shading;
    shading.scale =
        is_never_negative(notebook, node) || is_shares(value) ? Scale::sequential : Scale::diverging;
    shading.kinds = kinds_of(notebook, node);
    for (const float x : value.values()) {
        shading.largest = std::isfinite(x) ? std::max(shading.largest, std::abs(x)) : shading.largest;
    }
    return shading;
}

}  // namespace attn
