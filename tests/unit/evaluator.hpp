// Reads the arithmetic of explanations and evaluates it in double precision, within the range of float32.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace attn::test {

// Recursive descent over
//     sum = product (("+" | "−") product)*
//     product = factor (("·" | "/") factor)*
//     factor = "−" factor | number | "∞" | "π" | "nan" | "(" sum ")" | "[" sum ("≤" | "=" | "≠") sum "]"
//            | ("exp" | "ln" | "sin" | "cos" | "sqrt" | "abs" | "max") "(" sum ("," sum)* ")"
// Signs are not ASCII, but for those of exponents.
class Evaluator {
public:
    explicit Evaluator(std::string_view text) : rest_(text) {}

    double evaluate() {
        const double value = sum();
        if (!rest_.empty()) {
            throw std::runtime_error(fmt::format("\"{}\" is left over", rest_));
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

    // float32 has no number beyond 3.4e38.
    double factor() {
        const double value = wide_factor();
        return std::abs(value) < 0x1p128 ? value : value * std::numeric_limits<double>::infinity();
    }

    double wide_factor() {
        if (take("exp(")) {
            return std::exp(bracketed());
        }
        if (take("sqrt(")) {
            return std::sqrt(bracketed());
        }
        if (take("ln(")) {
            return std::log(bracketed());
        }
        if (take("sin(")) {
            return std::sin(bracketed());
        }
        if (take("cos(")) {
            return std::cos(bracketed());
        }
        if (take("π")) {
            return std::acos(-1.0);
        }
        if (take("abs(")) {
            return std::abs(bracketed());
        }
        if (take("max(")) {
            double largest = sum();
            while (take(",")) {
                const double next = sum();
                largest = std::isnan(next) ? next : std::max(largest, next);
            }
            require(")");
            return largest;
        }
        if (take("[")) {
            return truth();
        }
        if (take("−")) {
            return -factor();
        }
        if (take("∞")) {
            return std::numeric_limits<double>::infinity();
        }
        return take("(") ? bracketed() : number();
    }

    double bracketed() {
        const double value = sum();
        require(")");
        return value;
    }

    double truth() {
        const double left = sum();
        for (const std::string_view sign : {"≤", "=", "≠"}) {
            if (take(sign)) {
                const double right = sum();
                require("]");
                const bool is_true = sign == "≤" ? left <= right : (left == right) == (sign == "=");
                return is_true ? 1.0 : 0.0;
            }
        }
        throw std::runtime_error("neither ≤ nor = nor ≠");
    }

    double number() {
        double value = 0.0;
        if (rest_.starts_with('-')) {
            throw std::runtime_error("a hyphen for a sign");
        }
        const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        if (error != std::errc{}) {
            throw std::runtime_error(fmt::format("no number at \"{}\"", rest_));
        }
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
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
            throw std::runtime_error(fmt::format("expected {} at \"{}\"", token, rest_));
        }
    }

    void skip_spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }

    std::string_view rest_;
};

inline double evaluate(std::string_view text) {
    return Evaluator(text).evaluate();
}

}  // namespace attn::test
