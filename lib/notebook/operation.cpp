// The member functions of calls and rows.
#include "notebook/operation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "tensor/elementwise.hpp"
#include "text/lists.hpp"

namespace attn {

namespace {

char to_upper(char c) {
    return char(c - 'a' + 'A');
}

}  // namespace

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
    const Attribute* const found = find_in(attributes, name, &Attribute::name);
    return found == nullptr ? nullptr : &found->values.at(0);
}

const std::vector<Number>& Call::numbers(std::string_view name) const {
    const Attribute* const found = find_in(attributes, name, &Attribute::name);
    if (found == nullptr) {
        throw std::logic_error("the call has no attribute named " + std::string(name));
    }
    return found->values;
}

std::vector<std::size_t> Call::sizes(std::string_view name) const {
    return mapped(numbers(name), [](const Number& size) { return std::size_t(size.value()); });
}

std::vector<Tensor> Arguments::copies() const {
    return mapped(operands, [](const Tensor* operand) { return *operand; });
}

Syntax Operation::syntax(Language language, const Call& call) const {
    if (returns == Returns::grad_mode && language != Language::torch) {
        return {};  // only PyTorch has autograd
    }
    const bool is_numpy = language == Language::numpy && !numpy.pattern.empty();
    const Syntax& own = language == Language::cpp ? cpp : is_numpy ? numpy : torch;
    if (!own.pattern.empty()) {
        return own;
    }
    const OperatorRow& row = row_of(elementwise() == nullptr ? Operator::leaf : elementwise()->function);
    if (language != Language::cpp && !row.code.empty()) {
        return {fmt::format("{{0}}{}{{1}}", row.code), row.in_code};
    }
    std::vector<std::string> places;
    for (std::size_t i = 0; i < call.inputs.size(); ++i) {
        places.push_back(fmt::format("{{{}}}", i));
    }
    constexpr std::array<std::string_view, language_count> modules{"torch.", "np.", ""};
    return fmt::format("{}{}({})", modules[std::size_t(language)], name, fmt::join(places, ", "));
}

std::optional<std::string> Operation::autograd_name(const Arguments& x) const {
    if (!grad_fn.is_empty()) {
        return std::optional<std::string>(grad_fn(x));
    }
    if (returns != Returns::tensor || draws || trained != Trained::no) {
        return "";
    }
    std::string made;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const bool begins = i == 0 || name[i - 1] == '_';
        made += name[i] == '_' ? "" : std::string(1, begins ? to_upper(name[i]) : name[i]);
    }
    return made + "Backward0";
}

std::optional<std::size_t> Operation::followed(const Call& call) const {
    return marks.follows || elementwise() == nullptr || call.inputs.size() != 1 ? marks.follows : 0;
}

Expr Elementwise::expression(const Terms& x, std::size_t operands) const {
    if (cells != nullptr) {
        return cells(x);
    }
    Expr result{function};
    for (std::size_t i = 0; i < operands; ++i) {
        result.parts.push_back(x(i));
    }
    return result;
}

std::vector<Expr> FormulaOf::all() const {
    std::vector<Expr> all;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        all.push_back(whole(i));
    }
    return all;
}

Expr CellOf::operator()(std::size_t operand) const {
    return cell_of(operand, broadcast_index((*this)[operand].shape(), result.shape(), cell));
}

Expr CellOf::operator()(std::string_view attribute) const {
    const Number& value = call.number(attribute);
    const auto rounded = double(float(value.value()));
    return named(number(rounded).leaf,
                 {{value.in(Language::torch), value.in(Language::numpy), value.in(Language::cpp)}});
}

float CellOf::value(std::size_t operand) const {
    return (*this)[operand].at((*this)(operand).leaf.index);
}

// Positions are bit patterns, so that no rounding limits them.
std::optional<Source> Sources::of(const CellOf& x) {
    if (!positions_) {
        std::vector<Tensor> counted = x.copies();
        std::vector<const Tensor*> operands;
        std::uint32_t position = 0;
        for (Tensor& operand : counted) {
            for (float& number : operand.values()) {
                number = std::bit_cast<float>(++position);
            }
            operands.push_back(&operand);
        }
        positions_ = x.call.operation->evaluate({x.call, operands});
    }
    const auto position = std::bit_cast<std::uint32_t>(positions_->at(x.cell));
    if (position == 0) {
        return std::nullopt;
    }
    std::size_t place = position - 1;
    std::size_t operand = 0;
    for (; place >= x[operand].count(); ++operand) {
        place -= x[operand].count();
    }
    return Source{operand, x[operand].index(place)};
}

Explanation explanation_of(const CellOf& x, Sources& sources, std::size_t most_products) {
    const Operation& operation = *x.call.operation;
    if (const auto* const moves = std::get_if<Moves>(&operation.cells)) {
        const std::optional<Source> from = sources.of(x);
        return {from ? cell_of(from->operand, from->index) : constant(0),
                {},
                moves->reason == nullptr ? Reason{} : moves->reason({x, from})};
    }
    if (const auto* const other = std::get_if<Explained>(&operation.cells)) {
        return other->explain(x);
    }
    if (const auto* const sum = std::get_if<Products>(&operation.cells)) {
        const std::size_t products = std::min(x[0].size(-1), most_products);
        std::vector<Expr> terms;
        terms.reserve(products);
        for (std::size_t k = 0; k < products; ++k) {
            const auto [left, right] = sum->factors(x, k);
            terms.push_back(tight(cell_of(0, left), cell_of(1, right)));
        }
        return {sum_of(std::move(terms))};
    }
    if (const Elementwise* const each = operation.elementwise()) {
        const Terms terms{[&x](std::size_t operand) { return x(operand); },
                          [&x](std::string_view attribute) { return x(attribute); }};
        return {each->expression(terms, x.operands.size())};
    }
    return {operation.marks.follows ? cell_of(*operation.marks.follows, x.cell)
                                    : number(double(x.result.at(x.cell)))};
}

}  // namespace attn
