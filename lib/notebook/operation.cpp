// What calls and rows can be asked.
#include "notebook/operation.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "notebook/ops/row.hpp"

namespace attn {

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
        sizes.push_back(static_cast<std::size_t>(size.value));
    }
    return Shape(sizes);
}

const PerCall<Syntax>& Operation::syntax(Language language) const {
    switch (language) {
        case Language::torch:
            return torch;
        case Language::numpy:
            return numpy;
        case Language::cpp:
            return cpp;
        default:
            return mathml;
    }
}

Explanation explain_cells(const Call& call, Operands operands, const Tensor& result, const Index& cell) {
    Explanation explanation;
    for (std::string_view rest = call.operation->cells; !rest.empty();) {
        const std::string_view before = rest.substr(0, rest.find('{'));
        explanation.text += before;
        rest.remove_prefix(before.size());
        if (rest.empty()) {
            break;
        }
        const std::string_view name = rest.substr(1, rest.find('}') - 1);
        std::size_t operand = 0;
        const bool is_operand =
            std::from_chars(name.data(), name.data() + name.size(), operand).ec == std::errc();
        explanation.text += "{}";
        explanation.cells.push_back(is_operand ? broadcast_cell(operands, operand, result, cell)
                                               : number_cell(call, name));
        rest.remove_prefix(name.size() + 2);
    }
    return explanation;
}

Cost cost_per_cell(Operands operands, const Tensor& result) {
    return {result.count(), cost_of_moving(operands, result).bytes};
}

}  // namespace attn
