// Checks how a number begins, because read_double accepts more than is allowed here ("nan(1)", "infinity").
#include "printed/number.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "text/ascii.hpp"
#include "text/decimal.hpp"

namespace attn {

namespace {

using Notation = PrintedNumber::Notation;

constexpr std::string_view minus_sign = "\u2212";  // used in web pages and PDFs

class NumberReader {
public:
    NumberReader(std::string_view text, std::size_t at) : text_(text), at_(at) {}

    std::size_t end() const { return at_; }

    std::optional<PrintedNumber> read() {
        number_.offset = static_cast<std::uint32_t>(at_);
        const bool wrapped = take("np.float32(") || take("np.float64(");  // NumPy 2's scalars
        const bool negative = take("-") || take(minus_sign);
        if (!negative) {
            take("+");
        }
        if ((!word() && !digits()) || (wrapped && !take(")"))) {
            return std::nullopt;
        }
        if (at_ < text_.size() && (is_word_character(text_[at_]) || is_one_of(text_[at_], ".+-"))) {
            return std::nullopt;
        }
        number_.value = negative ? -number_.value : number_.value;
        return number_;
    }

private:
    bool word() {
        constexpr double inf = std::numeric_limits<double>::infinity();
        constexpr double nan = std::numeric_limits<double>::quiet_NaN();
        constexpr std::pair<std::string_view, double> words[] = {
            {"Infinity", inf}, {"inf", inf},  {"Inf", inf},   {"\u221e", inf},
            {"\\infty", inf},  {"nan", nan},  {"NaN", nan},   {"NA", nan},
            {"True", 1.0},     {"true", 1.0}, {"False", 0.0}, {"false", 0.0}};
        for (const auto& [name, value] : words) {
            if (take(name)) {
                number_.value = value;
                number_.notation = std::isfinite(value) ? Notation::truth : Notation::word;
                number_.decimals = PrintedNumber::exact;
                return true;
            }
        }
        return false;
    }

    bool digits() {
        const std::string_view rest = text_.substr(at_);
        const std::string_view digits = rest.substr(0, read_double(rest, number_.value));
        if (digits.empty() || !is_one_of(digits[0], ".0123456789") || std::isinf(number_.value)) {
            return false;
        }
        at_ += digits.size();
        const std::string_view mantissa = digits.substr(0, digits.find_first_of("eE"));
        if (const std::size_t point = mantissa.find('.'); point != std::string_view::npos) {
            const std::size_t decimals = mantissa.size() - point - 1;
            number_.notation = Notation::fixed;
            number_.decimals =
                static_cast<std::uint8_t>(std::min<std::size_t>(decimals, PrintedNumber::exact - 2));
        }
        if (mantissa.size() < digits.size()) {
            const std::size_t sign = digits[mantissa.size() + 1] == '+' ? 1 : 0;
            constexpr std::int64_t furthest = 9999;
            std::int64_t exponent = 0;
            read_whole(digits.substr(mantissa.size() + 1 + sign), exponent);
            number_.notation = Notation::scientific;
            number_.exponent = static_cast<std::int16_t>(std::clamp(exponent, -furthest, furthest));
        }
        return true;
    }

    bool take(std::string_view word) {
        if (!text_.substr(at_).starts_with(word)) {
            return false;
        }
        at_ += word.size();
        return true;
    }

    std::string_view text_;
    std::size_t at_;
    PrintedNumber number_;
};

}  // namespace

std::optional<PrintedNumber> read_number(std::string_view text, std::size_t& at) {
    NumberReader reader(text, at);
    const std::optional<PrintedNumber> number = reader.read();
    at = number ? reader.end() : at;
    return number;
}

std::optional<PrintedNumber> read_only_number(std::string_view text) {
    std::size_t end = 0;
    const std::optional<PrintedNumber> number = read_number(text, end);
    return end == text.size() ? number : std::nullopt;
}

std::optional<std::vector<PrintedNumber>> read_numbers(std::string_view text) {
    constexpr std::string_view between = ", \t\n\v\f\r";
    std::vector<PrintedNumber> numbers;
    for (std::size_t at = text.find_first_not_of(between); at < text.size();
         at = text.find_first_not_of(between, at)) {
        const std::optional<PrintedNumber> number = read_number(text, at);
        if (!number) {
            return std::nullopt;
        }
        numbers.push_back(*number);
    }
    return numbers;
}

PrintedNumber exact_number(double value) {
    return {.value = value, .decimals = PrintedNumber::exact};
}

double last_unit(const PrintedNumber& printed) {
    if (printed.decimals == PrintedNumber::exact) {
        return 0.0;
    }
    const int exponent = printed.exponent - printed.decimals;
    double power = 1.0;  // std::pow rounds differently on other platforms; these products are exact to 10²²
    for (int i = std::abs(exponent); i > 0; --i) {
        power *= 10.0;
    }
    return exponent < 0 ? 1.0 / power : power;
}

double tolerance(const PrintedNumber& printed, double units) {
    if (!std::isfinite(printed.value)) {
        return std::numeric_limits<double>::infinity();
    }
    // If a number lies half-way between two printed ones, float32 rounding can move it to either side.
    constexpr double slack = 1e-6;
    const double rounding = units * last_unit(printed);
    const double size = std::abs(printed.value);
    if (printed.notation == Notation::scientific) {  // beside 0, every other number would have an exponent
        return size == 0.0 ? 0.0 : rounding + slack * size;
    }
    constexpr int digits = std::numeric_limits<float>::digits;
    return rounding + std::max(slack, std::ldexp(1.0, std::ilogb(std::max(size, 1.0)) + 1 - digits));
}

bool agrees(const PrintedNumber& printed, double x, double units) {
    if (!std::isfinite(printed.value) || !std::isfinite(x)) {
        return printed.value == x || (std::isnan(printed.value) && std::isnan(x));
    }
    return std::abs(x - printed.value) <= tolerance(printed, units);
}

}  // namespace attn
