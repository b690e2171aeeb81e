#include "notebook/number.hpp"

#include <fmt/format.h>

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

Number operator-(const Number& x) {
    Number result{-x.value, x.reads, -x.formula};
    for (std::string& reads : result.reads) {
        reads = fmt::format("-{}", reads);
    }
    return result;
}

namespace {

Number joined(double value, const Number& a, std::string_view sign, const Number& b, Formula formula) {
    Number result{value, a.reads, std::move(formula)};
    for (std::size_t i = 0; i < language_count; ++i) {
        result.reads[i] += fmt::format(" {} {}", sign, b.reads[i]);
    }
    return result;
}

}  // namespace

Number operator+(const Number& a, const Number& b) {
    return joined(a.value + b.value, a, "+", b, a.formula + b.formula);
}

Number operator-(const Number& a, const Number& b) {
    return joined(a.value - b.value, a, "-", b, a.formula - b.formula);
}

Number operator*(const Number& a, const Number& b) {
    return joined(a.value * b.value, a, "*", b, a.formula * b.formula);
}

Number quotient(const Number& number, const Number& by) {
    const auto python = [&](Language language) {
        return fmt::format("{} // {}", number.in(language), by.in(language));
    };
    return {std::floor(number.value / by.value),
            {python(Language::torch), python(Language::numpy),
             fmt::format("{} / {}", number.in(Language::cpp), by.in(Language::cpp))},
            number.formula / by.formula};
}

Number one_minus(const Number& p) {
    Number result{1.0 - p.value, p.reads, digits("1") - p.formula};
    for (std::string& reads : result.reads) {
        reads = fmt::format("(1 - {})", reads);
    }
    return result;
}

Number sqrt(const Number& d) {
    return {std::sqrt(d.value),
            {fmt::format("{}**0.5", d.in(Language::torch)),
             fmt::format("np.sqrt({}, dtype=np.float32)", d.in(Language::numpy)),
             fmt::format("std::sqrt({})", d.in(Language::cpp))},
            root(d.formula)};
}

}  // namespace attn
