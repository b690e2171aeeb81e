// Reads the arithmetic of explanations and evaluates it in double precision.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace attn {

// Recursive descent over
//     sum = product (("+" | "−") product)*
//     product = factor (("·" | "/") factor)*
//     factor = number | "(" sum ")" | ("exp" | "sqrt" | "abs" | "max") "(" sum ("," sum)* ")"
// Numbers are written as fmt writes floats; their own sign is an ASCII hyphen, the operators are not ASCII.
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

    double factor() {
        if (take("exp(")) {
            return std::exp(bracketed());
        }
        if (take("sqrt(")) {
            return std::sqrt(bracketed());
        }
        if (take("abs(")) {
            return std::abs(bracketed());
        }
        if (take("max(")) {
            double largest = sum();
            while (take(",")) {
                largest = std::max(largest, sum());
            }
            require(")");
            return largest;
        }
        return take("(") ? bracketed() : number();
    }

    double bracketed() {
        const double value = sum();
        require(")");
        return value;
    }

    double number() {
        double value = 0.0;
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

}  // namespace attn
