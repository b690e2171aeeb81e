// Methods of tensors that are more than a tensor of tensors.
#include <algorithm>

#include "dataflow/interpreter.hpp"
#include "tensor/layout.hpp"

namespace attn::flow {

namespace tensor_methods {

// split(size) or chunk(count)
Result split(const Call& call) {
    const Given& given = call.of;
    const Tensor x = given.input();
    const int dim = given.integer("dim", 2).value_or(0);
    const std::size_t size = x.size(dim);
    std::size_t step = given.count("", 1, 1.0);
    step = call.name == "chunk" && step > 0 ? (size + step - 1) / step : step;
    std::vector<Value> parts;
    for (std::size_t from = 0; step > 0 && from < size; from += step) {
        parts.push_back(call.in.computed("select", {call.of[0]}, [&] {
            return slice(x, dim, static_cast<std::int64_t>(from), static_cast<std::int64_t>(from + step));
        }));
    }
    return Value::of(std::move(parts));
}

// With an axis, values and their places, except in NumPy.
Result extreme(const Call& call) {
    const std::string method(call.name);
    const Value best = call.in.call_function(method, call.of);
    const bool is_numpy =
        !call.in.imports_torch() || std::ranges::find(call.of.keywords, "axis") != call.of.keywords.end();
    return call.of.size() < 2 || is_numpy ? best
                                          : Value::of({best, call.in.call_function("arg" + method, call.of)});
}

const Rows& rows() {
    static const Rows all{
        {"size",
         [](const Call& call) -> Result {
             return call.of.size() < 2 ? call.in.shape_of(call.of[0])
                                       : Value::of(call.in.tensor_of(call.of[0]).size(int_of(call.of[1])));
         }},
        {"where",  // x.where(condition, other)
         [](const Call& call) -> Result {
             const Given& of = call.of;
             return of.size() != 3 ? Value{} : call.in.call_function("where", {of[1], of[0], of[2]});
         }},
        {"tolist", [](const Call& call) -> Result { return call.of[0]; }},
        {"dim", [](const Call& call) -> Result { return Value::of(call.in.tensor_of(call.of[0]).rank()); }},
        {"numel",
         [](const Call& call) -> Result { return Value::of(call.in.tensor_of(call.of[0]).count()); }},
        {"split", split},
        {"chunk", split},
        {"unbind",
         [](const Call& call) -> Result {
             const Value* const dim = call.of.find("dim", 1);
             return Value::of(call.in.unbound(call.of[0], dim != nullptr ? *dim : Value::of(0.0)));
         }},
        {"max", extreme},
        {"min", extreme},
        {"copy_",
         [](const Call& call) -> Result {
             const Given& of = call.of;
             const bool is_tensor = of.size() > 1 && of[1].is(Kind::tensor);
             const bool is_same =
                 is_tensor && call.in.tensor_of(of[0]).shape() == call.in.tensor_of(of[1]).shape();
             call.in.replace(of[0], is_same ? of[1] : call.in.call_function("copy_", of));
             return of[0];
         }},
    };
    return all;
}

}  // namespace tensor_methods

Value call_tensor_method(Interpreter& in, const std::string& method, Arguments arguments) {
    const Value x = arguments.first();
    if (method == "item" && x.origin()) {
        const std::optional<double> number = in.number_of(x.is(Kind::tensor) ? x : in.tensor(*x.origin()));
        return number ? Value::of(*number, x.origin()) : Value{};
    }
    if (!x.is(Kind::tensor)) {
        return {};
    }
    try {
        const Given given = in.given(arguments);
        if (Result result = called(tensor_methods::rows(), method, {in, method, method, given})) {
            return *std::move(result);
        }
    } catch (const Error&) {
        return {};
    }
    const bool in_place = method.ends_with('_') && method != "requires_grad_";
    if (in_place) {
        if (const auto value = in.draw_from(in.torch, method, false, in.given(arguments))) {
            return *value;
        }
    }
    const Value result = in.call_function(method, std::move(arguments));
    if (in_place) {
        in.replace(x, result);
    }
    return in_place ? x : result;
}

}  // namespace attn::flow
