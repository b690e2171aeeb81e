// Modules: their attributes, and the methods that PyTorch gives them.
#include <algorithm>
#include <functional>

#include "dataflow/interpreter.hpp"

namespace attn::flow {

namespace module_methods {

// A module and all modules in it, in the order in which they were made.
std::vector<Value> modules_of(Interpreter& in, const Value& module) {
    std::vector<Value> all{module};
    for (const auto& [name, value] : in.attributes_of(*module.object)) {
        if (value.is(Kind::object)) {
            all.push_back(value);
        }
    }
    const auto made = [](const Value& one) { return one.object->module; };
    std::ranges::sort(all, {}, made);
    const auto is_same = [&](const Value& a, const Value& b) { return made(a) == made(b); };
    all.erase(std::unique(all.begin(), all.end(), is_same), all.end());
    return all;
}

// The tensors of a module and of the modules in it, in the order in which PyTorch lists them; the order
// matters only for pairing with an output.
std::vector<std::pair<std::string, Value>> tensors_of(Interpreter& in, const Value& module) {
    std::vector<std::pair<std::string, Value>> all = in.attributes_of(*module.object);
    std::erase_if(all, [](const auto& one) { return !one.second.is(Kind::tensor); });
    std::ranges::stable_sort(all, {}, [](const auto& one) { return one.second.tensor->node; });
    return all;
}

Result train(const Call& call) {
    for (const Value& module : modules_of(call.in, call.self)) {
        module.object->is_training =
            call.name == "train" && (call.of.values.empty() || call.of[0].number != 0.0);
    }
    return call.self;
}

Result itself(const Call& call) {
    return call.self;
}

// parameters(), named_parameters() or state_dict()
Result parameters(const Call& call) {
    std::vector<Value> all;
    for (const auto& [name, value] : tensors_of(call.in, call.self)) {
        if (call.name == "named_parameters") {
            all.push_back(Value::of({Value::of(name), value}));
            continue;
        }
        if (call.name == "state_dict") {
            all.push_back(Value::of(name));
        }
        all.push_back(value);
    }
    return call.name == "state_dict" ? Value::dictionary(std::move(all)) : Value::of(std::move(all));
}

// Copies the tensors of a state_dict to those of the same names.
Result load(const Call& call) {
    Value state = call.of.first();
    for (const auto& [name, value] : tensors_of(call.in, call.self)) {
        const Value* const loaded = state.item(Value::of(name));
        if (loaded != nullptr && loaded->is(Kind::tensor)) {
            call_tensor_method(call.in, "copy_", {value, *loaded});
        } else if (!state.is(Kind::dictionary)) {
            call.in.forget(value);
        }
    }
    return Value::none();
}

// append() of a list of modules
Result append(const Call& call) {
    Object& object = *call.self.object;
    if (!object.attributes.contains("") || call.of.size() != 1) {
        return std::nullopt;
    }
    object.put(Value::of(object.contents().items.size()), call.of[0]);
    return call.self;
}

}  // namespace module_methods

Result call_module_method(const Call& made) {
    using namespace module_methods;
    static const Rows all{
        {"train", train},
        {"eval", train},
        {"to", itself},
        {"float", itself},
        {"cpu", itself},
        {"cuda", itself},
        {"requires_grad_", itself},
        {"parameters", parameters},
        {"named_parameters", parameters},
        {"state_dict", parameters},
        {"load_state_dict", load},
        {"append", append},
        {"children", [](const Call& call) -> Result { return Value::of(call.self.object->children()); }},
        {"modules", [](const Call& call) -> Result { return Value::of(modules_of(call.in, call.self)); }},
        {"apply",
         [](const Call& call) -> Result {
             for (const Value& module : modules_of(call.in, call.self)) {
                 call.in.call(call.of.first(), {module});
             }
             return call.self;
         }},
        {"register_buffer",
         [](const Call& call) -> Result {
             if (call.of.size() > 1) {
                 call.self.object->attributes[call.of[0].text] = call.of[1];
                 call.in.name_node(call.of[1], call.of[0].text);
             }
             return Value::none();
         }},
    };
    return called(all, made.name, made);
}

Value Interpreter::make_object(std::string type, std::optional<std::size_t> definition) {
    auto object = std::make_shared<Object>(Object{std::move(type), definition});
    object->module = flow.modules.size();
    flow.modules.push_back({.type = object->type, .place = place()});
    objects_.push_back(object);
    return {.kind = Kind::object, .object = std::move(object)};
}

std::vector<std::pair<std::string, Value>> Interpreter::attributes_of(const Object& object) {
    std::vector<std::pair<std::string, Value>> all;
    std::map<const Object*, std::size_t> times;  // that a module was visited
    const std::function<void(const Object&, const std::string&)> add = [&](const Object& of,
                                                                           const std::string& prefix) {
        constexpr std::size_t most_times = 8;
        constexpr std::size_t longest = 100;
        if (prefix.size() > longest || ++times[&of] > most_times) {
            return;
        }
        for (const auto& [name, value] : of.attributes) {
            if (!visit()) {
                return;
            }
            if (value.is(Kind::tensor) || value.is_number() || value.is(Kind::object)) {
                all.emplace_back(prefix + name, value);
            }
            if (value.is(Kind::object)) {
                add(*value.object, prefix + name + ".");
            }
        }
    };
    add(object, "");
    return all;
}

Value Interpreter::call_object(const Value& object, const std::string& method, const Arguments& arguments) {
    Object& self = *object.object;
    const Given of = given(arguments);
    if (self.stream != nullptr) {
        if (method == "manual_seed" || method == "seed") {
            seed(*self.stream, of.number("seed", 0, -1.0));
            return object;
        }
        return draw_from(*self.stream, method, true, of).value_or(Value{});
    }
    const auto attribute = self.attributes.find(method);
    if (attribute != self.attributes.end()) {
        const Value function = attribute->second;
        return call(function, arguments);
    }
    if (Result value = call_module_method({*this, method, method, of, object})) {
        return affordable(*std::move(value));
    }
    const bool is_call = method == "__call__" || method == "forward";
    for (const Value& input : is_call ? arguments.values : std::vector<Value>()) {
        Ids& inputs = flow.modules[self.module].inputs;
        if (input.is(Kind::tensor) && std::ranges::find(inputs, input.tensor->node) == inputs.end()) {
            inputs.push_back(input.tensor->node);
        }
    }
    if (!self.definition) {
        return is_call && arguments.begins_with(Kind::tensor) ? apply_layer(*this, object, arguments[0])
                                                              : Value{};
    }
    const Value* member = member_of(*self.definition, method);
    if (member == nullptr && is_call) {
        member = member_of(*self.definition, method == "forward" ? "__call__" : "forward");
    }
    return member == nullptr ? Value{} : call(bound(*member, object.object), arguments);
}

}  // namespace attn::flow
