// Functions of PyTorch and NumPy that are more than a tensor of tensors.
#include <cmath>

#include "dataflow/interpreter.hpp"

namespace attn::flow {

namespace library_functions {

// F.dropout(x, p, training)
Result dropped(const Call& call) {
    if (!call.of.begins_with(Kind::tensor)) {
        return std::nullopt;
    }
    const bool trains = call.of.is_true("training", 2, true) && call.of.is_true("train", by_keyword, true);
    const Value result = trains ? call.in.drop(call.of[0], call.of.number("p", 1, 0.5)) : call.of[0];
    if (result.is(Kind::tensor) && result.tensor != call.of[0].tensor && call.in.state().self &&
        !call.in.state().self->is_training) {
        call.in.flow.dropped_in_eval.insert(result.tensor->node);
    }
    return result;
}

// np.triu_indices(n, k), as a mask
Result mask_of_indices(const Call& call) {
    if (!call.path.starts_with("numpy") || call.of.values.empty()) {
        return std::nullopt;
    }
    const Value all = call.in.call_function("ones", {call.of[0], call.of[0]});
    const Value* const k = call.of.find("k", 1);
    return call.in.call_function(std::string(call.name.substr(0, 4)),
                                 {all, k != nullptr ? *k : Value::of(0.0)});
}

// np.apply_along_axis(f, axis, x): the results of f for each row or column of a matrix.
Result applied_along(const Call& call) {
    if (call.of.size() != 3) {
        return std::nullopt;
    }
    const Value across = Value::of(call.of[1].number == 0.0 ? 1.0 : 0.0);
    std::vector<Value> lines = call.in.unbound(call.of[2], across);
    for (Value& line : lines) {
        line = call.in.call(call.of[0], {line});
    }
    return call.in.call_function("stack", {Value::of(std::move(lines)), across});
}

// torch.max(x, dim) and the like, which tensors have as methods.
Result as_method(const Call& call) {
    return call.of.begins_with(Kind::tensor)
               ? std::optional(call_tensor_method(call.in, std::string(call.name), call.of))
               : std::nullopt;
}

template <double (*function)(double)>
Result of_number(const Call& call) {
    return call.of.size() == 1 && call.of[0].is(Kind::number)
               ? std::optional(Value::of(function(call.of[0].number), call.of[0].node))
               : std::nullopt;
}

Result unknown(const Call& /*call*/) {
    return Value{};
}

}  // namespace library_functions

Result call_special(const Call& made) {
    using namespace library_functions;
    static const Rows all{
        {"dropout", dropped},
        {"triu_indices", mask_of_indices},
        {"tril_indices", mask_of_indices},
        {"apply_along_axis", applied_along},
        {"finfo", [](const Call&) -> Result { return Value{.kind = Kind::library, .text = "finfo"}; }},
        {"unbind", as_method},
        {"max", as_method},
        {"min", as_method},
        {"split", as_method},
        {"chunk", as_method},
        {"allclose", unknown},
        {"equal", unknown},
        {"sqrt", of_number<std::sqrt>},
        {"exp", of_number<std::exp>},
        {"log", of_number<std::log>},
    };
    return called(all, made.name, made);
}

}  // namespace attn::flow
