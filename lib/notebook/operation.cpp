// The member functions of calls and rows.
#include "notebook/operation.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "notebook/ops/row.hpp"
#include "tensor/elementwise.hpp"

namespace attn {

std::vector<std::size_t> Attributes::nodes() const {
    std::vector<std::size_t> nodes;
    for (const Attribute& attribute : *this) {
        for (const Number& number : attribute.values) {
            std::ranges::copy(number.nodes(), std::back_inserter(nodes));
        }
    }
    return nodes;
}

Attributes Attributes::with(std::string_view name, const Number& number) const {
    std::vector<Attribute> all(begin(), end());
    std::ranges::find(all, name, &Attribute::name)->values = {number};
    return all;
}

const Number* Call::find(std::string_view name) const {
    const auto found = std::ranges::find(attributes, name, &Attribute::name);
    return found == attributes.end() ? nullptr : &found->values.at(0);
}

const std::vector<Number>& Call::numbers(std::string_view name) const {
    const auto found = std::ranges::find(attributes, name, &Attribute::name);
    if (found == attributes.end()) {
        throw std::logic_error("the call has no attribute named " + std::string(name));
    }
    return found->values;
}

Shape Call::shape() const {
    std::vector<std::size_t> sizes;
    for (const Number& size : numbers("size")) {
        sizes.push_back(static_cast<std::size_t>(size.value()));
    }
    return Shape(sizes);
}

const PerCall<Syntax>& Operation::syntax(Language language) const {
    return language == Language::cpp ? cpp : language == Language::torch || numpy.is_empty() ? torch : numpy;
}

Expr FormulaOf::cell(std::size_t operand) {
    is_about_cells_ = true;
    return read_(operand, true);
}

Expr FormulaOf::same(std::size_t operand) {
    takes_same_ = true;
    return read_(operand, as_cell_);
}

std::vector<Expr> FormulaOf::all() const {
    std::vector<Expr> all;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        all.push_back(whole(i));
    }
    return all;
}

Expr CellOf::operator()(std::size_t operand) const {
    return cell_of(operand, broadcast_index(operands[operand]->shape(), result.shape(), cell));
}

Expr CellOf::operator()(std::string_view attribute) const {
    return number_of(call, attribute);
}

Explanation explain_cells(const Call& call, Operands operands, const Tensor& result, const Index& cell) {
    if (call.operation->factors != nullptr) {
        return explain_in_terms(call, operands, result, cell, operands[0]->size(-1));
    }
    const CellOf x{call, operands, result, cell};
    if (call.operation->cells != nullptr) {
        return {call.operation->cells(x)};
    }
    Expr arithmetic{call.operation->function};
    for (std::size_t i = 0; i < operands.size(); ++i) {
        arithmetic.parts.push_back(x(i));
    }
    return {std::move(arithmetic)};
}

Explanation explain_in_terms(const Call& call, Operands operands, const Tensor& result, const Index& cell,
                             std::size_t most_products) {
    const Operation& operation = *call.operation;
    if (operation.factors == nullptr) {
        return operation.explain(call, operands, result, cell);
    }
    const std::size_t products = std::min(operands[0]->size(-1), most_products);
    std::vector<Expr> terms;
    terms.reserve(products);
    for (std::size_t k = 0; k < products; ++k) {
        const auto [left, right] = operation.factors(operands, result, cell, k);
        terms.push_back(tight(cell_of(0, left), cell_of(1, right)));
    }
    return {sum_of(std::move(terms))};
}

}  // namespace attn
