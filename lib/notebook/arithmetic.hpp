// The arithmetic of an explanation as a tree: it is evaluated, put together, bracketed and written down from
// the tree, and never read back from text.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "notebook/number.hpp"
#include "notebook/operators.hpp"
#include "tensor/tensor.hpp"

namespace attn {

// A number that arithmetic takes.
struct Leaf {
    enum class From {
        constant,  // of the operation itself, such as the 1 of 1 − p
        number,    // of the call, or drawn for it
        cell,      // of a tensor
        line,      // the value of an earlier line
        rest,      // the value of many terms, for which a shown line has no room
    };

    From from = From::constant;
    double value = 0.0;
    std::size_t of = 0;             // a cell's tensor: which operand of a call, or which node; or which line
    Index index{};                  // of a cell
    const Number* reads = nullptr;  // how code writes a number, if not as its digits
};

struct Arithmetic {
    using Kind = Operator;

    Kind kind = Kind::leaf;
    Leaf leaf = {};
    std::vector<Arithmetic> parts = {};

    // One that stands elsewhere: no constant, and nothing computed.
    bool is_one_number() const { return kind == Kind::leaf && leaf.from != Leaf::From::constant; }
    Binding binding() const;
};

Arithmetic constant(double value);
Arithmetic number(double value, const Number* reads = nullptr);
Arithmetic cell_of(std::size_t tensor, const Index& index);
// The value of an earlier line.
Arithmetic earlier_line(std::size_t which);

template <std::same_as<Arithmetic>... Parts>
Arithmetic combined(Operator op, Parts... parts) {
    Arithmetic result{op};
    result.parts.reserve(sizeof...(parts));
    (result.parts.push_back(std::move(parts)), ...);
    return result;
}

Arithmetic operator+(Arithmetic a, Arithmetic b);
inline Arithmetic operator-(Arithmetic a, Arithmetic b) {
    return combined(Operator::difference, std::move(a), std::move(b));
}
inline Arithmetic operator*(Arithmetic a, Arithmetic b) {
    return combined(Operator::product, std::move(a), std::move(b));
}
inline Arithmetic operator/(Arithmetic a, Arithmetic b) {
    return combined(Operator::quotient, std::move(a), std::move(b));
}
inline Arithmetic tight(Arithmetic a, Arithmetic b) {
    return combined(Operator::tight_product, std::move(a), std::move(b));
}  // a*b
inline Arithmetic exp(Arithmetic x) {
    return combined(Operator::exp, std::move(x));
}
inline Arithmetic ln(Arithmetic x) {
    return combined(Operator::ln, std::move(x));
}
inline Arithmetic sin(Arithmetic x) {
    return combined(Operator::sin, std::move(x));
}
inline Arithmetic cos(Arithmetic x) {
    return combined(Operator::cos, std::move(x));
}
inline Arithmetic sqrt(Arithmetic x) {
    return combined(Operator::sqrt, std::move(x));
}
inline Arithmetic abs(Arithmetic x) {
    return combined(Operator::abs, std::move(x));
}
inline Arithmetic at_most(Arithmetic a, Arithmetic b) {
    return combined(Operator::at_most, std::move(a), std::move(b));
}
inline Arithmetic equal(Arithmetic a, Arithmetic b) {
    return combined(Operator::equal, std::move(a), std::move(b));
}
inline Arithmetic not_equal(Arithmetic a, Arithmetic b) {
    return combined(Operator::not_equal, std::move(a), std::move(b));
}
// One term alone is itself.
Arithmetic sum_of(std::vector<Arithmetic> terms);
Arithmetic maximum_of(std::vector<Arithmetic> numbers);

// Calls a function with every leaf but constants, in the order they are written.
void for_each_number(const Arithmetic& arithmetic, const std::function<void(const Leaf&)>& tell);
// Their count, or `most` where there are more, for which the rest is not looked at.
std::size_t count_numbers(const Arithmetic& arithmetic,
                          std::size_t most = std::numeric_limits<std::size_t>::max());
// The arithmetic with something in place of each leaf but constants.
Arithmetic replaced(const Arithmetic& arithmetic, const std::function<Arithmetic(const Leaf&)>& by);

// The result in double precision, but with the range of float32: what is larger is ∞.
double evaluate(const Arithmetic& arithmetic);
// The same of what a function says the leaves are.
double evaluate(const Arithmetic& arithmetic, const std::function<double(const Leaf&)>& value_of);

// The arithmetic as Python reads it, its numbers as they are written by a function: negative ones are put in
// brackets where they need them. It is told in pieces between which a line may end: before a term, after a
// comma.
using WriteLeaf = std::function<std::string(const Leaf&)>;
std::vector<std::string> in_pieces(const Arithmetic& arithmetic, const WriteLeaf& write);
std::string written(const Arithmetic& arithmetic, const WriteLeaf& write);

}  // namespace attn
