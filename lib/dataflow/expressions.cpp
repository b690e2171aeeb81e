// Expressions: literals, operators, comprehensions, attributes.
#include <algorithm>
#include <cmath>
#include <functional>

#include "dataflow/functions.hpp"
#include "dataflow/interpreter.hpp"
#include "tensor/layout.hpp"

namespace attn::flow {

namespace {

Value arithmetic(std::string_view sign, const Value& x, const Value& y) {
    const double a = x.number;
    const double b = y.number;
    const auto node = x.node ? x.node : y.node;
    return sign == "+"    ? Value::of(a + b, node)
           : sign == "-"  ? Value::of(a - b, node)
           : sign == "*"  ? Value::of(a * b, node)
           : sign == "/"  ? Value::of(a / b, node)
           : sign == "//" ? Value::of(std::floor(a / b), node)
           : sign == "%"  ? Value::of(a - b * std::floor(a / b), node)
           : sign == "**" ? Value::of(std::pow(a, b), node)
           : sign == "==" ? Value::truth(a == b)
           : sign == "!=" ? Value::truth(a != b)
           : sign == "<"  ? Value::truth(a < b)
           : sign == "<=" ? Value::truth(a <= b)
           : sign == ">"  ? Value::truth(a > b)
           : sign == ">=" ? Value::truth(a >= b)
                          : Value{};
}

}  // namespace

Value Interpreter::evaluate(const Expression& of) {
    if (!spend(1) || depth > most_depth) {
        return {};
    }
    using enum Expression::Kind;
    switch (of.kind) {
        case name:
            return lookup(std::string(of.text), of);
        case number: {
            std::string text(of.text);
            std::erase(text, '_');
            return Value::of(std::strtod(text.c_str(), nullptr));
        }
        case string:
            return Value::of(std::string(of.text));
        case constant:
            return of.text == "True"    ? Value::truth(true)
                   : of.text == "False" ? Value::truth(false)
                                        : Value::none();
        case attribute:
            return attribute_of(evaluate(of.operands[0]), std::string(of.text));
        case Expression::Kind::call:
            return called(of);
        case subscript:
            return part(evaluate(of.operands[0]), of.operands[1]);
        case unary:
            return evaluate_unary(of);
        case walrus: {
            const Value value = evaluate(of.operands[1]);
            assign(of.operands[0], value);
            return value;
        }
        case binary: {
            const Value left = evaluate(of.operands[0]);  // first, because it may draw random numbers
            if (of.text == "and" || of.text == "or") {
                const std::optional<bool> is_true = truth_of(left);
                return !is_true ? Value{} : *is_true == (of.text == "or") ? left : evaluate(of.operands[1]);
            }
            return operate(of.text, left, evaluate(of.operands[1]));
        }
        case conditional: {
            const std::optional<bool> condition = truth_of(evaluate(of.operands[1]));
            return condition ? evaluate(of.operands[*condition ? 0 : 2]) : Value{};
        }
        case list:
        case tuple:
        case dictionary: {
            std::vector<Value> items;
            for (const Expression& one : of.operands) {
                items.push_back(evaluate(one));
            }
            return affordable(of.is(dictionary) ? Value::dictionary(std::move(items))
                                                : Value::of(std::move(items)));
        }
        case comprehension:
            return comprehended(of);
        case lambda:
            return lambda_of(of);
        case format:
            return formatted(of);
        case other:
            is_certain = false;
            return {};
        default:
            return {};
    }
}

Value Interpreter::evaluate_unary(const Expression& of) {
    const Value x = evaluate(of.operands[0]);
    if (of.text == "not") {
        const std::optional<bool> is_true = truth_of(x);
        return is_true ? Value::truth(!*is_true) : Value{};
    }
    if (x.is_number()) {
        return of.text == "-" ? Value::of(-x.number) : x;
    }
    return x.is(Kind::tensor) && of.text != "+" ? call_function(of.text == "-" ? "neg" : "~", {x}) : Value{};
}

// The text of an f-string, if its values are texts and integers.
Value Interpreter::formatted(const Expression& of) {
    std::string result;
    auto next = of.operands.begin();
    bool is_known = true;
    Value numbers;  // of a text with other numbers
    for (std::size_t at = 0; at < of.text.size(); ++at) {
        const char c = of.text[at];
        if ((c == '{' || c == '}') && of.text.substr(at + 1).starts_with(c)) {
            ++at;
        } else if (c == '{' && next != of.operands.end()) {
            const Value value = evaluate(*next++);
            const std::optional<std::string> text = value.written();
            numbers.items.push_back(value);
            at = std::min(of.text.find('}', at), of.text.size());
            is_known = is_known && text;
            result += text.value_or("");
            continue;
        }
        result += c;
    }
    return is_known ? Value::of(std::move(result)) : affordable(std::move(numbers));
}

// A lambda as a function that returns its body.
Value Interpreter::lambda_of(const Expression& of) {
    Statement result{.kind = Statement::Kind::return_, .source = of.source, .line = of.line};
    result.value = of.operands[0];
    Statement& function = lambdas_.emplace_back(Statement{.kind = Statement::Kind::function});
    function.line = of.line;
    for (std::size_t i = 0; i < of.keywords.size(); ++i) {
        const Expression& value = of.operands[i + 1];
        function.parameters.push_back(
            {of.keywords[i], value.is(Expression::Kind::nothing) ? std::nullopt : std::optional(value)});
    }
    function.body.push_back(std::move(result));
    return define(function);
}

// operands: element (of a dictionary a tuple), then targets and iterated in turn, then filters
Value Interpreter::comprehended(const Expression& of) {
    std::vector<Value> items;
    const std::shared_ptr<Scope> outer =
        std::exchange(state_.scope, std::make_shared<Scope>(Scope{{}, state_.scope}));
    const std::function<void(std::size_t)> go = [&](std::size_t clause) {
        if (clause >= of.operands.size()) {
            Value item = evaluate(of.operands[0]);
            if (of.text == "{") {
                items.insert(items.end(), item.items.begin(), item.items.end());
            } else {
                items.push_back(std::move(item));
            }
            return;
        }
        if (of.operands[clause].is(Expression::Kind::filter)) {
            if (truth_of(evaluate(of.operands[clause].operands[0])).value_or(true)) {
                go(clause + 1);
            }
            return;
        }
        for (const Value& one : iterated(evaluate(of.operands[clause + 1]))) {
            if (!affords(one)) {
                return;
            }
            assign(of.operands[clause], one);
            go(clause + 2);
        }
    };
    go(1);
    state_.scope = outer;
    return of.text == "{" ? Value::dictionary(std::move(items)) : Value::of(std::move(items));
}

Value Interpreter::operate(std::string_view sign, const Value& a, const Value& b) {
    if (a.is_number() && b.is_number()) {
        return arithmetic(sign, a, b);
    }
    if (sign == "in" || sign == "not in") {
        if (a.is(Kind::unknown) || a.is(Kind::tensor) || b.is(Kind::tensor) || b.is(Kind::unknown)) {
            return {};
        }
        const bool is_part = b.is(Kind::text) && b.text.find(a.text) != std::string::npos;
        const bool is_item =
            std::ranges::any_of(iterated(b), [&](const Value& one) { return one.equals(a); });
        return Value::truth((is_part || is_item) == (sign == "in"));
    }
    const bool is_identity = sign == "is" || sign == "is not";
    if (is_identity || ((sign == "==" || sign == "!=") && (a.is(Kind::none) || b.is(Kind::none)))) {
        const bool is_same = a.kind == b.kind && a.is(Kind::none);
        return a.is(Kind::unknown) || b.is(Kind::unknown)
                   ? Value{}
                   : Value::truth(is_same == (sign == "is" || sign == "=="));
    }
    if (sign == "+" && a.is(Kind::list) && b.is(Kind::list)) {
        std::vector<Value> items = a.items;
        items.insert(items.end(), b.items.begin(), b.items.end());
        return affordable(Value::of(std::move(items)));
    }
    if (sign == "*" && a.is(Kind::list) && b.is(Kind::number)) {
        constexpr double most = 10'000;
        const auto times = static_cast<std::size_t>(std::clamp(b.number, 0.0, most));
        std::vector<Value> items;
        for (std::size_t i = affords(a, times) ? times : 0; i > 0; --i) {
            items.insert(items.end(), a.items.begin(), a.items.end());
        }
        return Value::of(std::move(items));
    }
    return a.is(Kind::list) || b.is(Kind::list) ? Value{} : call_function(std::string(sign), {a, b});
}

std::optional<bool> Interpreter::truth_of(const Value& value) const {
    const std::optional<double> number = number_of(value);
    return number                                               ? std::optional(*number != 0.0)
           : value.is(Kind::unknown) || value.is(Kind::tensor)  ? std::nullopt
           : value.is(Kind::list) || value.is(Kind::dictionary) ? std::optional(!value.items.empty())
           : value.is(Kind::text)                               ? std::optional(!value.text.empty())
                                                                : std::optional(!value.is(Kind::none));
}

std::vector<Value> Interpreter::iterated(const Value& value) {
    std::vector<Value> items;
    if (value.is(Kind::list)) {
        return value.items;
    }
    if (value.is(Kind::tensor) && tensor_of(value).rank() > 0) {
        const std::size_t rows = tensor_of(value).shape()[0];
        for (std::size_t i = 0; i < rows; ++i) {
            items.push_back(computed("select", {value}, [&] { return select(tensor_of(value), {i}); }));
        }
    }
    if (value.is(Kind::dictionary)) {
        return value.listed("keys").items;
    }
    for (const char c : value.is(Kind::text) ? value.text : "") {
        const bool goes_on = (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;  // UTF-8
        if (goes_on && !items.empty()) {
            items.back().text += c;
        } else {
            items.push_back(Value::of(std::string(1, c)));
        }
    }
    return value.is(Kind::object) ? iterated(value.object->contents()) : items;
}

Value Interpreter::attribute_of(const Value& of, const std::string& name) {
    if (of.is(Kind::library)) {
        return of_library(of.text + "." + name);
    }
    if (of.is(Kind::list) && of.items.size() == 2 && (name == "values" || name == "indices")) {
        return of.items[name == "values" ? 0 : 1];  // of max() and the like along an axis
    }
    if (of.is(Kind::tensor)) {
        return name == "shape"               ? shape_of(of)
               : name == "T" || name == "mT" ? call_function(name, {of})
               : name == "data"              ? of
               : name == "ndim"              ? Value::of(tensor_of(of).rank())
                                             : Value{};
    }
    const bool is_object = of.is(Kind::object);
    if (is_object) {
        const auto found = of.object->attributes.find(name);
        if (found != of.object->attributes.end()) {
            return found->second;
        }
    }
    const bool is_class = of.is(Kind::function) && definitions_[of.code].is_class();
    const std::optional<std::size_t> type = is_object  ? of.object->definition
                                            : is_class ? std::optional(of.code)
                                                       : std::nullopt;
    const Value* const member = type ? member_of(*type, name) : nullptr;
    return member == nullptr ? Value{} : is_object ? bound(*member, of.object) : *member;
}

}  // namespace attn::flow
