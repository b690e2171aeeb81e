// Checks a number's text first, because read_double accepts more than is allowed here ("nan(1)", "infinity").
#include "printed/number.hpp"

#include <algorithm>
#include <array>
#include <charconv>
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
        const char next = peek();
        if (is_word_character(next) || next == '.' || next == '+' || next == '-') {
            return std::nullopt;
        }
        number_.value = negative ? -number_.value : number_.value;
        return number_;
    }

private:
    bool word() {
        constexpr double inf = std::numeric_limits<double>::infinity();
        constexpr double nan = std::numeric_limits<double>::quiet_NaN();
        constexpr std::array<std::pair<std::string_view, double>, 12> words{{{"Infinity", inf},
                                                                             {"inf", inf},
                                                                             {"Inf", inf},
                                                                             {"\u221e", inf},
                                                                             {"\\infty", inf},
                                                                             {"nan", nan},
                                                                             {"NaN", nan},
                                                                             {"NA", nan},
                                                                             {"True", 1.0},
                                                                             {"true", 1.0},
                                                                             {"False", 0.0},
                                                                             {"false", 0.0}}};
        const auto found = std::ranges::find_if(words, [&](const auto& one) { return take(one.first); });
        if (found == words.end()) {
            return false;
        }
        number_.value = found->second;
        number_.notation = std::isfinite(found->second) ? Notation::truth : Notation::word;
        number_.decimals = PrintedNumber::exact;
        return true;
    }

    std::size_t count_digits() {
        const std::size_t begin = at_;
        while (is_digit(peek())) {
            ++at_;
        }
        return at_ - begin;
    }

    bool digits() {
        const std::size_t begin = at_;
        const std::size_t whole = count_digits();
        const bool point = take(".");
        const std::size_t decimals = point ? count_digits() : 0;
        if (whole + decimals == 0) {
            return false;
        }
        number_.notation = point ? Notation::fixed : Notation::whole;
        number_.decimals =
            static_cast<std::uint8_t>(std::min<std::size_t>(decimals, PrintedNumber::exact - 2));
        if (take("e") || take("E")) {
            const bool below = take("-");
            if (!below) {
                take("+");
            }
            int exponent = 0;
            const auto read = std::from_chars(text_.data() + at_, text_.data() + text_.size(), exponent);
            if (!is_digit(peek())) {
                return false;
            }
            at_ = static_cast<std::size_t>(read.ptr - text_.data());
            constexpr int furthest = 9999;
            exponent = read.ec == std::errc() ? std::min(exponent, furthest) : furthest;
            number_.exponent = static_cast<std::int16_t>(below ? -exponent : exponent);
            number_.notation = Notation::scientific;
        }
        read_double(text_.substr(begin, at_ - begin), number_.value);
        return !std::isinf(number_.value);
    }

    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

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

// Returns the distance from a float32 number of that size to the next.
double float32_spacing(double value) {
    constexpr int digits = std::numeric_limits<float>::digits;
    return value == 0.0 ? 0.0 : std::ldexp(1.0, std::ilogb(value) + 1 - digits);
}

double power_of_ten(int exponent) {
    constexpr std::array powers{1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0};
    const int place = exponent + static_cast<int>(powers.size()) - 1;
    return place >= 0 && exponent <= 0 ? powers[static_cast<std::size_t>(place)] : std::pow(10.0, exponent);
}

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
    const auto skip_space = [&](std::size_t at) {
        return std::min(text.find_first_not_of(" \t\n\v\f\r", at), text.size());
    };
    std::vector<PrintedNumber> numbers;
    for (std::size_t at = skip_space(0); at < text.size(); at = skip_space(at)) {
        if (!numbers.empty() && text[at] == ',') {
            at = skip_space(at + 1);
        }
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
    return printed.decimals == PrintedNumber::exact ? 0.0 : power_of_ten(printed.exponent - printed.decimals);
}

double tolerance(const PrintedNumber& printed, double units) {
    if (!std::isfinite(printed.value)) {
        return std::numeric_limits<double>::infinity();
    }
    // If a number lies half-way between two printed ones, float32 rounding can move it to either side.
    constexpr double slack = 1e-6;
    const double size = std::abs(printed.value);
    const bool is_scientific = printed.notation == Notation::scientific;
    if (is_scientific && size == 0.0) {  // every other number would have an exponent
        return float32_spacing(0.0);
    }
    const double scale = is_scientific ? std::max(power_of_ten(printed.exponent), size) : 1.0;
    return units * last_unit(printed) + std::max(slack * scale, float32_spacing(size));
}

bool agrees(const PrintedNumber& printed, double x, double units) {
    if (!std::isfinite(printed.value) || !std::isfinite(x)) {
        return printed.value == x || (std::isnan(printed.value) && std::isnan(x));
    }
    return std::abs(x - printed.value) <= tolerance(printed, units);
}

}  // namespace attn
