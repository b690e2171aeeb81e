#include "notebook/number.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "tensor/digits.hpp"

namespace attn {

Number literal(double value) {
    const std::string digits = shortest_digits(value);
    return {value, {digits, digits, digits, fmt::format("<mn>{}</mn>", digits)}};
}

Number truth(bool value) {
    const std::string python = value ? "True" : "False";
    const std::string cpp = value ? "true" : "false";
    return {value ? 1.0 : 0.0, {python, python, cpp, fmt::format("<mtext>{}</mtext>", cpp)}};
}

Number minus_infinity() {
    return {-std::numeric_limits<double>::infinity(),
            {"-torch.inf", "-np.inf", "-INFINITY", "<mrow><mo>−</mo><mn>∞</mn></mrow>"}};
}

Number quotient(const Number& number, const Number& by) {
    Number result{std::floor(number.value / by.value), {}};
    for (const Language language : {Language::torch, Language::numpy, Language::cpp, Language::mathml}) {
        const char* const sign = language == Language::cpp      ? "{} / {}"
                                 : language == Language::mathml ? "<mfrac>{}{}</mfrac>"
                                                                : "{} // {}";
        result.reads[static_cast<std::size_t>(language)] =
            fmt::format(fmt::runtime(sign), number.in(language), by.in(language));
    }
    return result;
}

Number one_minus(const Number& p) {
    Number result{1.0 - p.value, {}};
    for (std::size_t i = 0; i + 1 < language_count; ++i) {
        result.reads[i] = fmt::format("(1 - {})", p.reads[i]);
    }
    result.reads.back() = fmt::format("<mrow><mn>1</mn><mo>−</mo>{}</mrow>", p.reads.back());
    return result;
}

Number sqrt(const Number& d) {
    return {std::sqrt(d.value),
            {fmt::format("{}**0.5", d.in(Language::torch)),
             fmt::format("np.sqrt({}, dtype=np.float32)", d.in(Language::numpy)),
             fmt::format("std::sqrt({})", d.in(Language::cpp)),
             fmt::format("<msqrt>{}</msqrt>", d.in(Language::mathml))}};
}

}  // namespace attn
