#include "notebook/ops/row.hpp"

#include <utility>

#include "text/lists.hpp"

namespace attn {

Tensor operand_itself(const Arguments& x) {
    return x[0];
}

Expr itself(const Terms& x) {
    return x(0);
}

std::vector<Number> literals(const Shape& shape) {
    return mapped(shape, [](std::size_t size) { return literal(size); });
}

Number seed_number(std::uint64_t seed, const std::array<bool, language_count>& remainder) {
    const Number number = literal(seed);
    if (seed >> 32 == 0) {
        return number;
    }
    Spelling spelling;
    for (std::size_t language = 0; language < language_count; ++language) {
        spelling.code[language] = std::to_string(seed) + (remainder[language] ? " % 2**32" : "");
    }
    return named(number.leaf, std::move(spelling));
}

std::vector<Expr> all_cells(const CellOf& x) {
    std::vector<Expr> cells;
    for (std::size_t i = 0; i < x[0].count(); ++i) {
        cells.push_back(cell_of(0, x[0].index(i)));
    }
    return cells;
}

std::vector<Expr> row_cells(const CellOf& x) {
    std::vector<Expr> cells;
    for (std::size_t i = 0; i < x[0].size(-1); ++i) {
        cells.push_back(cell_of(0, x.cell));
        cells.back().leaf.index[x[0].rank() - 1] = i;
    }
    return cells;
}

Fact fact(const CellOf& x, std::string_view attribute) {
    return fact(attribute, x(attribute));
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

Explanation given_number(const CellOf& x, Reason reason) {
    return {number(double(x.result.at(x.cell))), {}, std::move(reason)};
}

CellKind hidden_by_factor(const CellOf& x, CellKind factor) {
    const bool is_hidden = x.result.at(x.cell) == 0.0F && x.value(1) == 0.0F && x.value(0) != 0.0F;
    return is_hidden ? factor : CellKind::number;
}

}  // namespace attn
