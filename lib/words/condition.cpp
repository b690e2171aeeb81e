// Evaluated while it is read: every value is a tensor, and truth is 1 or 0.
#include "words/condition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"
#include "tensor/reduce.hpp"
#include "text/ascii.hpp"
#include "text/numbered.hpp"

namespace attn {

namespace {

Tensor number(double value) {
    return {Shape{}, {static_cast<float>(value)}};
}

// Returns true if it holds for each pair of numbers, and where there are none. The operand that has fewer of
// them is broadcast.
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

int integer(const Tensor& x) {
    return static_cast<int>(x.values()[0]);
}

using Function = Tensor (*)(const Tensor& x, const Tensor& y);
struct NamedFunction {
    std::string_view name;
    Function function;
};
using Functions = std::span<const NamedFunction>;

constexpr NamedFunction terms[] = {{"+", add}, {"-", sub}};
constexpr NamedFunction factors[] = {{"*", mul}, {"/", div}};

// As in PyTorch; y is 0 where it is left out.
constexpr NamedFunction functions[] = {
    {"min", [](const Tensor& x, const Tensor&) { return mul(amax(mul(x, -1.0)), -1.0); }},
    {"max", [](const Tensor& x, const Tensor&) { return amax(x); }},
    {"abs", [](const Tensor& x, const Tensor&) { return abs(x); }},
    {"sqrt", [](const Tensor& x, const Tensor&) { return sqrt(x); }},
    {"sum", [](const Tensor& x, const Tensor& dim) { return sum(x, integer(dim), true); }},
    {"size",
     [](const Tensor& x, const Tensor& dim) { return number(static_cast<double>(x.size(integer(dim)))); }},
    {"transpose", [](const Tensor& x, const Tensor&) { return transpose(x, -2, -1); }},
    {"tril", [](const Tensor& x, const Tensor& diagonal) { return tril(x, integer(diagonal)); }},
    {"triu", [](const Tensor& x, const Tensor& diagonal) { return triu(x, integer(diagonal)); }},
    {"close", [](const Tensor& x, const Tensor& y) { return number(close(x, y) ? 1 : 0); }},
};

Function find_function(Functions among, std::string_view name) {
    const auto found = std::ranges::find(among, name, &NamedFunction::name);
    return found == among.end() ? nullptr : found->function;
}

// `0.5<=min(x)` as 0.5, <=, min, (, x, )
std::vector<std::string_view> tokens_of(std::string_view text) {
    const auto in_word = [](char c) { return is_word_character(c) || c == '.'; };
    std::vector<std::string_view> tokens;
    while (!text.empty()) {
        std::size_t size = text[0] != ' ' && text.substr(1).starts_with('=') ? 2 : 1;
        if (in_word(text[0])) {
            size = static_cast<std::size_t>(std::ranges::find_if_not(text, in_word) - text.begin());
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

    float value() {
        const Tensor value = alternative();
        if (at_ < tokens_.size()) {
            fail("expected its end");
        }
        return number_in(value);
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

    float number_in(const Tensor& value) const {
        if (value.rank() > 0) {
            fail("a tensor is neither true nor false");
        }
        return value.values()[0];
    }

    bool is_true(const Tensor& value) const { return number_in(value) != 0.0F; }

    using Part = Tensor (Evaluator::*)();

    Tensor alternative() { return joined("or", &Evaluator::conjunction); }
    Tensor conjunction() { return joined("and", &Evaluator::negation); }

    // As in Python, what stands after `or` counts only where what stands before it is false, and after `and`
    // only where it is true: `has(x) and x > 0`.
    Tensor joined(std::string_view word, Part part) {
        Tensor value = (this->*part)();
        while (take(word)) {
            if (is_true(value) == (word == "and")) {
                value = number(is_true((this->*part)()) ? 1 : 0);
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

    Tensor negation() { return take("not") ? number(is_true(negation()) ? 0 : 1) : comparison(); }

    // a < b <= c says both, as in Python.
    Tensor comparison() {
        static constexpr std::string_view signs[] = {"==", "<=", ">=", "<", ">"};
        Tensor left = sum();
        std::optional<bool> result;
        while (at_ < tokens_.size() && std::ranges::find(signs, tokens_[at_]) != std::end(signs)) {
            const std::string_view sign = next();
            Tensor right = sum();
            result = result.value_or(true) && compare(sign, left, right);
            left = std::move(right);
        }
        return result ? number(*result ? 1 : 0) : left;
    }

    Tensor sum() { return chained(terms, &Evaluator::product); }
    Tensor product() { return chained(factors, &Evaluator::factor); }

    Tensor chained(Functions signs, Part part) {
        Tensor value = (this->*part)();
        while (at_ < tokens_.size()) {
            const Function function = find_function(signs, tokens_[at_]);
            if (function == nullptr) {
                break;
            }
            ++at_;
            value = function(value, (this->*part)());
        }
        return value;
    }

    Tensor factor() {
        if (take("-")) {
            return mul(factor(), -1.0);
        }
        Tensor value = primary();
        while (take("[")) {
            value = cut(std::move(value));
        }
        return value;
    }

    Tensor primary() {
        if (take("(")) {
            Tensor value = alternative();
            require(")");
            return value;
        }
        const std::string_view token = next();
        if (is_digit(token[0])) {
            return number(std::stod(std::string(token)));
        }
        return take("(") ? call(token) : named(token);
    }

    // `1]`, `:-1]` or `:, 1]`
    Tensor cut(Tensor x) {
        std::vector<std::size_t> sizes;
        int axis = 0;
        do {
            const auto size = static_cast<std::int64_t>(x.size(axis));
            std::optional<std::int64_t> from = position();
            if (take(":")) {
                x = slice(x, axis, from, position());
                sizes.push_back(x.size(axis));
            } else {
                const std::int64_t index = from.value() < 0 ? *from + size : *from;
                if (index < 0 || index >= size) {
                    throw std::out_of_range(std::string(condition_));
                }
                x = slice(x, axis, index, index + 1);
            }
            ++axis;
        } while (take(","));
        require("]");
        sizes.insert(sizes.end(), x.shape().begin() + axis, x.shape().end());
        return view(x, Shape(sizes));
    }

    // An index, which counts from the end where it is negative; none beside a colon that stands alone.
    std::optional<std::int64_t> position() {
        const bool is_negative = take("-");
        if (at_ == tokens_.size() || !is_digit(tokens_[at_][0])) {
            return std::nullopt;
        }
        const auto index = static_cast<std::int64_t>(std::stoul(std::string(next())));
        return is_negative ? -index : index;
    }

    Tensor call(std::string_view name) {
        if (name == "off" || name == "has" || name == "is") {
            const std::string_view subject = next();
            const bool is_so = name == "off"   ? situation_.off == subject
                               : name == "has" ? find(subject).has_value()
                                               : is_word(subject);
            require(")");
            return number(is_so ? 1 : 0);
        }
        const Tensor x = alternative();
        const Tensor y = take(",") ? alternative() : number(0);
        require(")");
        const Function function = find_function(functions, name);
        if (function == nullptr) {
            fail(fmt::format("there is no such function {}", name));
        }
        return function(x, y);
    }

    // `, mse`: true if the parameter is that word.
    bool is_word(std::string_view parameter) {
        require(",");
        const std::string word = fmt::format("\"{}\"", next());
        const ParameterRow* const row = find_parameter(parameter);
        return row != nullptr && row->json(situation_.trace.parameters) == word;
    }

    Tensor named(std::string_view name) const {
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
        return trace.node(*node).value;
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
    return Evaluator(condition, situation).value() != 0.0F;
}

std::optional<double> number_of(std::string_view expression, const Situation& situation) try {
    const auto value = static_cast<double>(Evaluator(expression, situation).value());
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
} catch (const std::out_of_range&) {
    return std::nullopt;
}

}  // namespace attn
