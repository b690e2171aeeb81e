// Recursive descent over
//     sum = product (("+" | "−") product)*
//     product = factor (("·" | "/") factor)*
//     factor = "−" factor | number | "{}" | "∞" | "π" | "nan" | "(" sum ")" | "[" sum ("≤" | "=" | "≠") sum
//     "]"
//            | ("exp" | "ln" | "sin" | "cos" | "sqrt" | "abs" | "max") "(" sum ("," sum)* ")"
#include "text/arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

#include "text/decimal.hpp"

namespace attn {

namespace {

class Evaluator {
public:
    Evaluator(std::string_view text, std::span<const double> numbers) : rest_(text), numbers_(numbers) {}

    double all() {
        const double value = sum();
        if (!rest_.empty() || !numbers_.empty()) {
            fail("something is left over");
        }
        return value;
    }

private:
    double sum() {
        double value = product();
        for (;;) {
            if (take("+")) {
                value += product();
            } else if (take("−")) {
                value -= product();
            } else {
                return value;
            }
        }
    }

    double product() {
        double value = factor();
        for (;;) {
            if (take("·")) {
                value *= factor();
            } else if (take("/")) {
                value /= factor();
            } else {
                return value;
            }
        }
    }

    double factor() {
        const double value = unlimited_factor();
        constexpr auto most = static_cast<double>(std::numeric_limits<float>::max());
        return std::abs(value) > most ? std::copysign(std::numeric_limits<double>::infinity(), value) : value;
    }

    double unlimited_factor() {
        if (take("{}")) {
            return next_number();
        }
        if (take("−")) {
            return -factor();
        }
        if (take("(")) {
            return until_bracket();
        }
        if (take("[")) {
            return truth();
        }
        if (take("exp(")) {
            return std::exp(until_bracket());
        }
        if (take("ln(")) {
            return std::log(until_bracket());
        }
        if (take("sin(")) {
            return std::sin(until_bracket());
        }
        if (take("cos(")) {
            return std::cos(until_bracket());
        }
        if (take("π")) {
            return std::numbers::pi;
        }
        if (take("sqrt(")) {
            return std::sqrt(until_bracket());
        }
        if (take("abs(")) {
            return std::abs(until_bracket());
        }
        if (take("max(")) {
            return largest();
        }
        if (take("∞")) {
            return std::numeric_limits<double>::infinity();
        }
        return take("nan") ? std::numeric_limits<double>::quiet_NaN() : digits();
    }

    double until_bracket() {
        const double value = sum();
        require(")");
        return value;
    }

    double largest() {
        double value = sum();
        while (take(",")) {
            const double next = sum();
            value = std::isnan(next) ? next : std::max(value, next);  // which keeps a NaN it has
        }
        require(")");
        return value;
    }

    double truth() {
        const double left = sum();
        bool is_true = false;
        if (take("≤")) {
            is_true = left <= sum();
        } else if (take("=")) {
            is_true = left == sum();
        } else {
            require("≠");
            is_true = left != sum();
        }
        require("]");
        return is_true ? 1.0 : 0.0;
    }

    double next_number() {
        if (numbers_.empty()) {
            fail("a number is missing");
        }
        const double value = numbers_.front();
        numbers_ = numbers_.subspan(1);
        return value;
    }

    double digits() {
        double value = 0.0;
        const std::size_t length = read_double(rest_, value);
        if (length == 0 || rest_[0] == '-') {  // a hyphen is no sign here
            fail("no number");
        }
        rest_.remove_prefix(length);
        skip_spaces();
        return value;
    }

    bool take(std::string_view token) {
        if (!rest_.starts_with(token)) {
            return false;
        }
        rest_.remove_prefix(token.size());
        skip_spaces();
        return true;
    }

    void require(std::string_view token) {
        if (!take(token)) {
            fail(std::string("no ") + std::string(token));
        }
    }

    void skip_spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }

    [[noreturn]] void fail(const std::string& what) const {
        throw std::logic_error("arithmetic: " + what + " at \"" + std::string(rest_) + "\"");
    }

    std::string_view rest_;
    std::span<const double> numbers_;
};

}  // namespace

double evaluate(std::string_view arithmetic, std::span<const double> numbers) {
    return Evaluator(arithmetic, numbers).all();
}

std::vector<std::string_view> outermost(std::string_view arithmetic, std::string_view separator) {
    std::vector<std::string_view> parts;
    std::size_t start = 0;
    int depth = 0;
    for (std::size_t at = 0; at < arithmetic.size(); ++at) {
        const char c = arithmetic[at];
        depth += static_cast<int>(c == '(' || c == '[');
        depth -= static_cast<int>(c == ')' || c == ']');
        if (depth == 0 && arithmetic.substr(at).starts_with(separator)) {
            parts.push_back(arithmetic.substr(start, at - start));
            start = at + separator.size();
            at = start - 1;
        }
    }
    parts.push_back(arithmetic.substr(start));
    return parts;
}

std::size_t count_places(std::string_view arithmetic) {
    std::size_t count = 0;
    for (std::size_t at = arithmetic.find("{}"); at != std::string_view::npos;
         at = arithmetic.find("{}", at + 2)) {
        ++count;
    }
    return count;
}

}  // namespace attn
