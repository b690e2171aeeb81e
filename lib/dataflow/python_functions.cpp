// Python's own functions.
#include <algorithm>
#include <cmath>
#include <limits>

#include "dataflow/interpreter.hpp"

namespace attn::flow {

namespace python_functions {

Result length(const Call& call) {
    const Value first = call.of.begins_with(Kind::object) ? call.of[0].object->contents() : call.of.first();
    return first.is(Kind::tensor) && call.in.tensor_of(first).rank() > 0
               ? Value::of(call.in.tensor_of(first).size(0))
           : first.is(Kind::text)       ? Value::of(first.text.size())
           : first.is(Kind::dictionary) ? Value::of(first.items.size() / 2)
           : first.is(Kind::list)       ? Value::of(first.items.size())
                                        : Value{};
}

Result range(const Call& call) {
    const Given& of = call.of;
    const double from = of.size() > 1 ? of[0].number : 0.0;
    const double to = of.size() > 1 ? of[1].number : of.first().number;
    const double step = of.size() > 2 ? of[2].number : 1.0;
    constexpr std::size_t most = 100'000;
    std::vector<Value> items;
    for (double i = from; step != 0.0 && (step > 0 ? i < to : i > to) && items.size() < most; i += step) {
        items.push_back(Value::of(i));
    }
    return Value::of(std::move(items));
}

Result enumerate(const Call& call) {
    double i = call.of.size() > 1 ? call.of[1].number : 0.0;
    std::vector<Value> items;
    for (const Value& item : call.items()) {
        items.push_back(Value::of({Value::of(i++), item}));
    }
    return Value::of(std::move(items));
}

Result zip(const Call& call) {
    std::vector<std::vector<Value>> lists;
    std::size_t count = std::numeric_limits<std::size_t>::max();
    for (const Value& value : call.of.values) {
        lists.push_back(call.in.iterated(value));
        count = std::min(count, lists.back().size());
    }
    std::vector<Value> items;
    for (std::size_t i = 0; !lists.empty() && i < count; ++i) {
        std::vector<Value> row;
        for (const std::vector<Value>& list : lists) {
            row.push_back(list[i]);
        }
        items.push_back(Value::of(std::move(row)));
    }
    return Value::of(std::move(items));
}

Result number(const Call& call) {  // float() and int()
    const Value first = call.of.first();
    if (first.text == "inf" || first.text == "-inf") {
        return Value::of(first.text == "inf" ? HUGE_VAL : -HUGE_VAL);
    }
    const std::optional<double> x = call.in.number_of(first);
    return x ? Value::of(call.name == "int" ? std::trunc(*x) : *x, first.origin()) : Value{};
}

Result dictionary(const Call& call) {
    Value result = Value::dictionary();
    for (std::size_t i = 0; i < call.of.size(); ++i) {
        const Value& value = call.of[i];
        if (!call.of.keywords[i].empty()) {
            result.items.insert(result.items.end(), {Value::of(call.of.keywords[i]), value});
            continue;
        }
        for (const Value& pair :
             call.in.iterated(value.is(Kind::dictionary) ? value.listed("items") : value)) {
            result.items.insert(result.items.end(), pair.items.begin(), pair.items.end());
        }
    }
    return result;
}

Result dictionary_of_keys(const Call& call) {
    Value result = Value::dictionary();
    for (const Value& key : call.items()) {
        result.item_or_new(key) = call.of.size() > 1 ? call.of[1] : Value::none();
    }
    return result;
}

Result list(const Call& call) {
    return Value::of(call.items());
}

Result sorted(const Call& call) {  // also set()
    const auto key = [](const Value& value) { return std::pair(value.text, value.number); };
    std::vector<Value> items = call.items();
    std::ranges::stable_sort(items, {}, key);
    if (call.name == "set") {
        const auto is_same = [&](const Value& a, const Value& b) { return key(a) == key(b); };
        items.erase(std::unique(items.begin(), items.end(), is_same), items.end());
    }
    return Value::of(std::move(items));
}

Result reversed(const Call& call) {
    std::vector<Value> items = call.items();
    std::ranges::reverse(items);
    return Value::of(std::move(items));
}

Result sum(const Call& call) {
    Value result = Value::of(0.0);
    for (const Value& item : call.items()) {
        result = call.in.operate("+", result, item);
    }
    return result;
}

Result extreme(const Call& call) {  // max() and min()
    if (call.of.begins_with(Kind::tensor)) {
        return std::nullopt;
    }
    const std::vector<Value> items = call.of.size() == 1 ? call.items() : call.of.values;
    const Value* best = nullptr;
    for (const Value& item : items) {
        const std::optional<double> x = call.in.number_of(item);
        if (!x) {
            return Value{};
        }
        const double before = best == nullptr ? *x : *call.in.number_of(*best);
        best = best == nullptr || (call.name == "max" ? *x >= before : *x < before) ? &item : best;
    }
    return best == nullptr ? Value{} : *best;
}

Result rounded(const Call& call) {
    const Value first = call.of.first();
    if (!first.is(Kind::number)) {
        return std::nullopt;
    }
    const double unit = std::pow(10.0, call.of.size() > 1 ? call.of[1].number : 0.0);
    return Value::of(std::nearbyint(first.number * unit) / unit, first.node);
}

Result text(const Call& call) {
    const std::optional<std::string> written = call.of.first().written();
    return written ? Value::of(*written) : Value{};
}

Result attribute(const Call& call) {  // getattr
    return call.of.size() < 2 ? Value{} : call.in.attribute_of(call.of[0], call.of[1].text);
}

Result set_attribute(const Call& call) {
    if (call.of.size() == 3 && call.of[0].object != nullptr) {
        call.of[0].object->attributes[call.of[1].text] = call.of[2];
        call.in.name_node(call.of[2], call.of[1].text);
    }
    return Value::none();
}

// isinstance() for modules and tensors.
Result is_of_type(const Call& call) {
    if (call.of.size() != 2 || !call.of[1].is(Kind::library)) {
        return Value{};
    }
    const Value& value = call.of[0];
    const std::string name = call.of[1].text.substr(call.of[1].text.rfind('.') + 1);
    const bool is_module = value.is(Kind::object) && !value.object->definition;
    return is_module          ? Value::truth(value.object->type == name)
           : name == "Tensor" ? Value::truth(value.is(Kind::tensor))
                              : Value{};
}

Result results(const Call& call) {
    std::vector<Value> items;
    for (const Value& item : call.of.size() == 2 ? call.in.iterated(call.of[1]) : std::vector<Value>()) {
        items.push_back(call.in.call(call.of[0], {item}));
    }
    return Value::of(std::move(items));
}

Result unknown(const Call& /*call*/) {
    return Value{};
}

}  // namespace python_functions

Result call_python(const Call& made) {
    using namespace python_functions;
    static const Rows all{
        {"len", length},
        {"range", range},
        {"enumerate", enumerate},
        {"zip", zip},
        {"float", number},
        {"int", number},
        {"dict", dictionary},
        {"dict.fromkeys", dictionary_of_keys},
        {"list", list},
        {"tuple", list},
        {"tqdm", list},
        {"set", sorted},
        {"sorted", sorted},
        {"reversed", reversed},
        {"sum", sum},
        {"max", extreme},
        {"min", extreme},
        {"round", rounded},
        {"str", text},
        {"getattr", attribute},
        {"setattr", set_attribute},
        {"isinstance", is_of_type},
        {"map", results},
        {"repr", unknown},
        {"type", unknown},
        {"open", unknown},
        {"input", unknown},
    };
    return called(all, made.name == "tqdm" ? made.name : made.path, made);
}

}  // namespace attn::flow
