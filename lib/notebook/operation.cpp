// What calls and rows can be asked.
#include "notebook/operation.hpp"

#include <algorithm>
#include <stdexcept>

namespace attn {

const std::vector<Number>& Call::numbers(std::string_view name) const {
    const auto found = std::ranges::find(attributes, name, &Attribute::name);
    if (found == attributes.end()) {
        throw std::logic_error("the call has no attribute named " + std::string(name));
    }
    return found->values;
}

const Number& Call::number(std::string_view name) const {
    return numbers(name).at(0);
}

Shape Call::shape() const {
    std::vector<std::size_t> sizes;
    for (const Number& size : numbers("size")) {
        sizes.push_back(static_cast<std::size_t>(size.value));
    }
    return Shape(sizes);
}

const Syntax& Operation::syntax(Language language) const {
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

}  // namespace attn
