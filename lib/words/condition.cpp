// Evaluated while it is read: every value is a tensor, and truth is 1 or 0.
#include "words/condition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"
#include "tensor/reduce.hpp"
#include "text/numbered.hpp"

namespace attn {

namespace {

using Value = std::shared_ptr<const Tensor>;  // those of the run are not copied

Value made(Tensor tensor) {
    return std::make_shared<const Tensor>(std::move(tensor));
}

Value number(double value) {
    return made(Tensor(Shape{}, {static_cast<float>(value)}));
}

// Whether it holds for each pair of numbers; the operand that has fewer of them is broadcast. Of no numbers
// everything holds.
template <typename Holds>
bool for_all(const Tensor& a, const Tensor& b, Holds holds) {
    if (a.count() == 0 || b.count() == 0) {
        return true;
    }
    const Tensor& result = a.count() < b.count() ? b : a;
    const auto at = [&](const Tensor& x, std::size_t i) {
        return x.shape() == result.shape()
                   ? x.values()[i]
                   : x.at(broadcast_index(x.shape(), result.shape(), result.index(i)));
    };
    for (std::size_t i = 0; i < result.count(); ++i) {
        if (!holds(at(a, i), at(b, i))) {
            return false;
        }
    }
    return true;
}

bool compare(std::string_view sign, const Tensor& a, const Tensor& b) {
    return for_all(a, b, [&](float x, float y) {
        return sign == "=="   ? x == y
               : sign == "<"  ? x < y
               : sign == "<=" ? x <= y
               : sign == ">"  ? x > y
                              : x >= y;
    });
}

bool close(const Tensor& a, const Tensor& b) {
    constexpr float tolerance = 1e-5F;
    const float scale = b.count() == 0 ? 1.0F : std::max(1.0F, amax(abs(b)).values()[0]);
    return for_all(a, b, [&](float x, float y) { return x == y || std::abs(x - y) <= tolerance * scale; });
}

// `1`, `:-1` or `:` of an axis.
struct Range {
    std::size_t from, to;
    bool is_index;
};

Tensor cut(const Tensor& x, const std::vector<Range>& ranges) {
    std::vector<std::size_t> sizes;
    for (std::size_t axis = 0; axis < x.rank(); ++axis) {
        if (axis >= ranges.size()) {
            sizes.push_back(x.shape()[axis]);
        } else if (!ranges[axis].is_index) {
            sizes.push_back(ranges[axis].to - ranges[axis].from);
        }
    }
    std::vector<float> values;
    for (std::size_t i = 0; i < x.count(); ++i) {
        const Index index = x.index(i);
        const auto lies_in = [&](const Range& range) {
            const std::size_t at = index[static_cast<std::size_t>(&range - ranges.data())];
            return at >= range.from && at < range.to;
        };
        if (std::ranges::all_of(ranges, lies_in)) {
            values.push_back(x.values()[i]);
        }
    }
    return {Shape(sizes), std::move(values)};
}

// `0.5<=min(x)` as 0.5, <=, min, (, x, )
std::vector<std::string_view> tokens_of(std::string_view text) {
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.";
    std::vector<std::string_view> tokens;
    while (!text.empty()) {
        std::size_t size = text[0] != ' ' && text.substr(1).starts_with('=') ? 2 : 1;
        if (letters.find(text[0]) != std::string_view::npos) {
            size = std::min(text.find_first_not_of(letters), text.size());
        }
        if (text[0] != ' ') {
            tokens.push_back(text.substr(0, size));
        }
        text.remove_prefix(size);
    }
    return tokens;
}

class Evaluator {
public:
    Evaluator(std::string_view condition, const Situation& situation)
        : condition_(condition), tokens_(tokens_of(condition)), situation_(situation) {}

    Value value() {
        Value value = alternative();
        if (at_ < tokens_.size()) {
            fail("expected its end");
        }
        if (value->rank() > 0) {
            fail("a tensor is neither true nor false");
        }
        return value;
    }

private:
    [[noreturn]] void fail(std::string_view problem) const {
        throw std::logic_error(
            fmt::format("{}: {} at \"{}\"", condition_, problem, at_ < tokens_.size() ? tokens_[at_] : ""));
    }

    std::string_view next() {
        if (at_ == tokens_.size()) {
            fail("expected more");
        }
        return tokens_[at_++];
    }

    bool take(std::string_view token) {
        const bool is_next = at_ < tokens_.size() && tokens_[at_] == token;
        at_ += is_next ? 1 : 0;
        return is_next;
    }

    void require(std::string_view token) {
        if (!take(token)) {
            fail(fmt::format("expected \"{}\"", token));
        }
    }

    bool is_true(const Value& value) const {
        if (value->rank() > 0) {
            fail("a tensor is neither true nor false");
        }
        return value->values()[0] != 0.0F;
    }

    // As in Python, what stands after `or` counts only where what stands before it is false, and after `and`
    // only where it is true: `has(x) and x > 0`.
    Value alternative() {
        Value value = conjunction();
        while (take("or")) {
            if (is_true(value)) {
                skip();
            } else {
                value = number(is_true(conjunction()) ? 1 : 0);
            }
        }
        return value;
    }

    Value conjunction() {
        Value value = negation();
        while (take("and")) {
            if (is_true(value)) {
                value = number(is_true(negation()) ? 1 : 0);
            } else {
                skip();
            }
        }
        return value;
    }

    // Passes over what no longer matters, up to the next `or` or the end of what this stands in.
    void skip() {
        const std::size_t first = at_;
        for (int depth = 0; at_ < tokens_.size(); ++at_) {
            const std::string_view token = tokens_[at_];
            const bool opens = token == "(" || token == "[";
            const bool closes = token == ")" || token == "]";
            if (depth == 0 && (closes || token == "," || token == "or")) {
                break;
            }
            depth += opens ? 1 : closes ? -1 : 0;
        }
        if (at_ == first) {
            fail("expected more");
        }
    }

    Value negation() { return take("not") ? number(is_true(negation()) ? 0 : 1) : comparison(); }

    // a < b <= c says both, as in Python.
    Value comparison() {
        static constexpr std::string_view signs[] = {"==", "<=", ">=", "<", ">"};
        Value left = sum();
        std::optional<bool> result;
        while (at_ < tokens_.size() && std::ranges::find(signs, tokens_[at_]) != std::end(signs)) {
            const std::string_view sign = next();
            Value right = sum();
            result = result.value_or(true) && compare(sign, *left, *right);
            left = std::move(right);
        }
        return result ? number(*result ? 1 : 0) : left;
    }

    Value sum() {
        Value value = product();
        for (;;) {
            if (take("+")) {
                value = made(add(*value, *product()));
            } else if (take("-")) {
                value = made(sub(*value, *product()));
            } else {
                return value;
            }
        }
    }

    Value product() {
        Value value = factor();
        for (;;) {
            if (take("*")) {
                value = made(mul(*value, *factor()));
            } else if (take("/")) {
                value = made(div(*value, *factor()));
            } else {
                return value;
            }
        }
    }

    Value factor() {
        if (take("-")) {
            return made(mul(*factor(), -1.0));
        }
        Value value = primary();
        while (take("[")) {
            value = made(cut(*value, ranges(value->shape())));
        }
        return value;
    }

    Value primary() {
        if (take("(")) {
            Value value = alternative();
            require(")");
            return value;
        }
        const std::string_view token = next();
        if (token[0] >= '0' && token[0] <= '9') {
            return number(std::stod(std::string(token)));
        }
        return take("(") ? call(token) : named(token);
    }

    std::vector<Range> ranges(const Shape& shape) {
        std::vector<Range> result;
        do {
            const std::size_t size = shape[shape.axis(static_cast<int>(result.size()))];
            const std::optional<std::size_t> from = position(size);
            if (take(":")) {
                const std::size_t to = position(size).value_or(size);
                result.push_back({from.value_or(0), to, false});
            } else {
                if (from.value() >= size) {
                    throw std::out_of_range(std::string(condition_));
                }
                result.push_back({*from, *from + 1, true});
            }
        } while (take(","));
        require("]");
        return result;
    }

    // An index, counted from the end where it is negative; none before and after a colon that stands alone.
    std::optional<std::size_t> position(std::size_t size) {
        const bool is_negative = take("-");
        if (tokens_.at(at_) == ":" || tokens_[at_] == "]" || tokens_[at_] == ",") {
            return std::nullopt;
        }
        const std::size_t index = std::stoul(std::string(next()));
        return is_negative ? size - index : index;
    }

    Value call(std::string_view function) {
        if (function == "off" || function == "has") {
            const std::string_view name = next();
            require(")");
            return number((function == "off" ? situation_.off == name : find(name).has_value()) ? 1 : 0);
        }
        if (function == "is") {
            const ParameterRow* const row = find_parameter(next());
            require(",");
            const std::string_view word = next();
            require(")");
            return number(
                row != nullptr && row->json(situation_.trace.parameters) == fmt::format("\"{}\"", word) ? 1
                                                                                                        : 0);
        }
        const Value x = alternative();
        const Value y = take(",") ? alternative() : nullptr;
        require(")");
        const auto integer = [&] { return static_cast<int>((y ? y : number(0))->values()[0]); };
        if (function == "min") {
            return made(mul(amax(mul(*x, -1.0)), -1.0));
        }
        if (function == "max") {
            return made(amax(*x));
        }
        if (function == "abs") {
            return made(abs(*x));
        }
        if (function == "sqrt") {
            return made(attn::sqrt(*x));
        }
        if (function == "exp") {
            return made(attn::exp(*x));
        }
        if (function == "sum" && y) {
            return made(attn::sum(*x, integer(), true));
        }
        if (function == "size" && y) {
            return number(static_cast<double>(x->size(integer())));
        }
        if (function == "transpose") {
            return made(attn::transpose(*x, -2, -1));
        }
        if (function == "tril") {
            return made(tril(*x, integer()));
        }
        if (function == "triu") {
            return made(triu(*x, integer()));
        }
        if (function == "close" && y) {
            return number(close(*x, *y) ? 1 : 0);
        }
        fail(fmt::format("there is no such function {}", function));
    }

    Value named(std::string_view name) const {
        const StageTrace& trace = situation_.trace;
        if (name == "inf") {
            return number(std::numeric_limits<double>::infinity());
        }
        if (name == "own_weights") {
            return number(trace.own_weights ? 1 : 0);
        }
        for (const ParameterRow& row : parameter_table()) {
            if (const std::string value = row.json(trace.parameters); row.name == name && !value.empty()) {
                return number(value == "true" ? 1 : value == "false" ? 0 : std::stod(value));
            }
        }
        const std::optional<std::size_t> node = name == "this" ? situation_.step : find(name);
        if (!node) {
            fail(fmt::format("the run has no {}", name));
        }
        return {Value(), &trace.node(*node).value};
    }

    std::optional<std::size_t> find(std::string_view name) const {
        if (const std::optional<std::size_t> node = situation_.trace.find(name)) {
            return node;
        }
        const auto& nodes = situation_.trace.notebook.nodes();
        const auto alike = std::ranges::find(nodes, without_number(name),
                                             [](const Node& node) { return without_number(node.name); });
        return alike == nodes.end() ? std::nullopt
                                    : std::optional(static_cast<std::size_t>(alike - nodes.begin()));
    }

    std::string_view condition_;
    std::vector<std::string_view> tokens_;
    std::size_t at_ = 0;
    const Situation& situation_;
};

}  // namespace

bool holds(std::string_view condition, const Situation& situation) {
    return Evaluator(condition, situation).value()->values()[0] != 0.0F;
}

std::optional<double> number_of(std::string_view expression, const Situation& situation) try {
    const auto value = static_cast<double>(Evaluator(expression, situation).value()->values()[0]);
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
} catch (const std::out_of_range&) {
    return std::nullopt;
}

}  // namespace attn
