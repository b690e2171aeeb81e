// Calls: of the document's own functions, of methods, of functions of libraries.
#include <algorithm>
#include <cctype>
#include <cmath>

#include "dataflow/functions.hpp"
#include "dataflow/interpreter.hpp"

namespace attn::flow {

namespace {

// The method that converts to this type, if it has fewer digits than float32.
std::string precision_of(const Value& type, std::string otherwise) {
    const std::string_view path = type.is(Kind::library) ? std::string_view(type.text) : "";
    return path.ends_with("bfloat16")                             ? "bfloat16"
           : path.ends_with("float16") || path.ends_with(".half") ? "half"
                                                                  : std::move(otherwise);
}

// A tensor that has the memory of another: changes of one in place change both, which is not followed.
Value sharing(Value value, const Value& of) {
    if (value.is(Kind::tensor)) {
        value.tensor->is_shared = of.tensor->is_shared = true;
    }
    return value;
}

}  // namespace

Value Interpreter::called(const Expression& of) {
    const Expression& function = of.operands[0];
    if ((function.is_name("print") || function.is_name("display")) && !globals_.contains(function.text)) {
        for (std::size_t i = 1; i < of.operands.size(); ++i) {
            if (i - 1 >= of.keywords.size() || of.keywords[i - 1].empty()) {
                show(of.operands[i]);
            }
        }
        return Value::none();
    }
    if (!function.is(Expression::Kind::attribute)) {
        const Value callee = evaluate(function);
        return call(callee, arguments_of(of));
    }
    const Expression& object_of = function.operands[0];
    const std::string method(function.text);
    if (object_of.called() == "super") {
        return inherited(method, arguments_of(of));
    }
    const Value object = evaluate(object_of);
    Arguments arguments = arguments_of(of);
    if (object.is(Kind::text) || object.is(Kind::list) || object.is(Kind::dictionary)) {
        const Given all = given(std::move(arguments));
        return call_value_method({*this, method, method, all, object, &object_of}).value_or(Value{});
    }
    Value result = call_method(object, method, std::move(arguments));
    if (object.is(Kind::tensor) && method.ends_with('_') && object_of.is(Expression::Kind::subscript)) {
        assign_part(object_of, result);  // x[i].fill_(value)
    }
    return result;
}

Arguments Interpreter::arguments_of(const Expression& of) {
    Arguments all;
    for (std::size_t i = 1; i < of.operands.size(); ++i) {
        const Expression& argument = of.operands[i];
        if (!argument.is(Expression::Kind::starred)) {
            all.add(evaluate(argument), std::string(i - 1 < of.keywords.size() ? of.keywords[i - 1] : ""));
            continue;
        }
        const Value unpacked = affordable(evaluate(argument.operands[0]));
        for (const Value& one : argument.text == "*" ? iterated(unpacked) : unpacked.listed("items").items) {
            if (argument.text == "*") {
                all.add(one);
            } else {
                all.add(one.items[1], one.items[0].text);
            }
        }
    }
    return all;
}

Value Interpreter::call(const Value& callee, Arguments arguments) {
    return callee.is(Kind::library)     ? call_library(callee.text, std::move(arguments))
           : callee.is(Kind::object)    ? call_object(callee, "__call__", arguments)
           : !callee.is(Kind::function) ? Value{}
                                        : call_definition(callee, std::move(arguments));
}

Value Interpreter::call_method(const Value& object, const std::string& method, Arguments arguments) {
    if (object.is(Kind::library)) {
        return call_library(object.text + "." + method, std::move(arguments));
    }
    if (object.is(Kind::object)) {
        is_certain = is_certain && !(method.starts_with("register_") && method.ends_with("_hook"));
        return call_object(object, method, arguments);
    }
    if (object.is(Kind::function)) {
        return call(attribute_of(object, method), std::move(arguments));
    }
    is_certain = is_certain && !(object.is(Kind::unknown) && method == "step");  // of an optimizer
    arguments.values.insert(arguments.values.begin(), object);
    arguments.keywords.insert(arguments.keywords.begin(), "");
    return call_tensor_method(*this, method, std::move(arguments));
}

Value Interpreter::call_library(const std::string& path, Arguments arguments) {
    const std::string name = path.substr(path.rfind('.') + 1);
    is_certain = is_certain && name != "exec" && name != "eval" && name != "fork_rng" &&
                 name != "set_rng_state" && name != "set_state";
    try {
        const Given given = this->given(arguments);
        if (const std::optional<Value> value = call_random(name, path, given)) {
            return *value;
        }
        const bool is_class = std::isupper(static_cast<unsigned char>(name[0])) != 0;
        if (path.find("nn.") != std::string::npos || is_class) {
            if (const std::optional<Value> layer = make_layer(*this, name, given)) {
                return *layer;
            }
        }
        const Call call{*this, name, path, given};
        if (Result value = call_python(call)) {
            return affordable(*std::move(value));
        }
        if (Result value = call_special(call)) {
            return *std::move(value);
        }
    } catch (const Error&) {
        return {};
    }
    if (arguments.begins_with(Kind::tensor) && name.ends_with('_')) {
        return call_tensor_method(*this, name, std::move(arguments));
    }
    return call_function(name, std::move(arguments));
}

Value Interpreter::call_function(std::string name, Arguments arguments) {
    const bool is_of_tensor = arguments.begins_with(Kind::tensor);
    if ((name == "to" || name == "type" || name == "astype") && arguments.size() > 1) {
        name = precision_of(arguments[1], std::move(name));
    }
    if ((name == "half" || name == "bfloat16") && is_of_tensor) {
        return rounded(arguments[0].tensor->node, name);
    }
    const Function* const function = find_function(name);
    if (function == nullptr || !function->compute) {
        return {};
    }
    if (function->name == "clone" && is_of_tensor) {
        const std::size_t node = arguments[0].tensor->node;  // a tensor of its own, with the same numbers
        if (name == "detach" || name == "numpy" || name == "from_numpy") {
            return sharing(tensor(node), arguments[0]);
        }
        return name == "Parameter" && flow.nodes[node].operation == "Linear"  // (d_out, d_in), unlike x @ W
                   ? tensor(record(name, {node}, flow.nodes[node].value))
                   : name == "requires_grad_" ? arguments[0] : tensor(node);
    }
    const Given of = given(std::move(arguments));
    Value result = computed(std::string(function->name), of.values, [&] {
        Tensor result = function->compute(of);
        return of.has_unread() ? std::optional<Tensor>() : std::optional(std::move(result));
    });
    const bool is_view = function->name == "view" || function->name == "transpose" ||
                         function->name == "permute" || function->name == "squeeze" ||
                         function->name == "expand";
    return is_view && is_of_tensor ? sharing(std::move(result), of.values[0]) : result;
}

std::vector<Value> Interpreter::unbound(const Value& x, const Value& dim) {
    const Value axis = dim.is_number() ? dim : Value::of(0.0);
    std::vector<Value> parts = call_tensor_method(*this, "split", {x, Value::of(1.0), axis}).items;
    for (Value& part : parts) {
        part = call_function("squeeze", {part, axis});
    }
    return parts;
}

}  // namespace attn::flow
