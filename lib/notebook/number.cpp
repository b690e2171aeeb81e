#include "notebook/number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tensor/digits.hpp"

namespace attn {

Number literal(double value) {
    const std::string text = shortest_digits(value);
    return {value, {text, text, text}, digits(text)};
}

Number truth(bool value) {
    const std::string python = value ? "True" : "False";
    const std::string cpp = value ? "true" : "false";
    return {value ? 1.0 : 0.0, {python, python, cpp}, words(cpp)};
}

Number minus_infinity() {
    return {-std::numeric_limits<double>::infinity(), {"-torch.inf", "-np.inf", "-INFINITY"}, -digits("∞")};
}

namespace {

// A number that reads otherwise.
template <typename Write>
Number rewritten(double value, const Number& x, Formula formula, Write write) {
    Number result{value, x.reads, std::move(formula), x.nodes};
    std::ranges::transform(x.reads, result.reads.begin(), write);
    return result;
}

Number joined(const Number& a, Operator op, const Number& b, Formula formula) {
    const OperatorRow& row = row_of(op);
    Number result{row.of_two(a.value, b.value), a.reads, std::move(formula), a.nodes};
    for (std::size_t i = 0; i < language_count; ++i) {
        result.reads[i] += fmt::format("{}{}", row.code, b.reads[i]);
    }
    result.nodes.insert(result.nodes.end(), b.nodes.begin(), b.nodes.end());
    return result;
}

}  // namespace

Number operator-(const Number& x) {
    return rewritten(-x.value, x, -x.formula, [](const std::string& reads) { return "-" + reads; });
}

Number operator+(const Number& a, const Number& b) {
    return joined(a, Operator::sum, b, a.formula + b.formula);
}

Number operator-(const Number& a, const Number& b) {
    return joined(a, Operator::difference, b, a.formula - b.formula);
}

Number operator*(const Number& a, const Number& b) {
    return joined(a, Operator::product, b, a.formula * b.formula);
}

Number quotient(const Number& number, const Number& by) {
    Number result = joined(number, Operator::quotient, by, number.formula / by.formula);
    result.value = std::floor(result.value);
    for (const Language python : {Language::torch, Language::numpy}) {
        result.reads[static_cast<std::size_t>(python)] =
            fmt::format("{} // {}", number.in(python), by.in(python));
    }
    return result;
}

Number one_minus(const Number& p) {
    return rewritten(1.0 - p.value, p, digits("1") - p.formula,
                     [](const std::string& reads) { return fmt::format("(1 - {})", reads); });
}

Number sqrt(const Number& d) {
    return {std::sqrt(d.value),
            {fmt::format("{}**0.5", d.in(Language::torch)),
             fmt::format("np.sqrt({}, dtype=np.float32)", d.in(Language::numpy)),
             fmt::format("std::sqrt({})", d.in(Language::cpp))},
            root(d.formula),
            d.nodes};
}

}  // namespace attn
