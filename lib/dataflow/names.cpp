// Names: what a name means, and assignments to names, attributes and parts.
#include <cfloat>
#include <cmath>

#include "dataflow/interpreter.hpp"
#include "tensor/strided.hpp"

namespace attn::flow {

// The variable of this name that a function sees beside those of the notebook, or null.
Value* Interpreter::local(std::string_view name) const {
    for (Scope* scope = state_.scope.get(); scope != nullptr; scope = scope->outer.get()) {
        if (const auto found = scope->names.find(name); found != scope->names.end()) {
            return &found->second;
        }
    }
    return nullptr;
}

Value Interpreter::lookup(const std::string& name, const Expression& at) {
    if (const Value* const found = local(name)) {
        return *found;
    }
    const auto found = globals_.find(name);
    if (found == globals_.end()) {
        return run_earlier(name) || assume(name) ? lookup(name, at) : of_library(name);
    }
    const Value& value = found->second;
    if (const auto lost = overwritten_.find(name);
        lost != overwritten_.end() && !state_.scope && loops_ == 0) {
        flow.overwritten.push_back(lost->second);
        flow.overwritten.back().place = place_at(at.line);
        if (value.is(Kind::tensor)) {
            const Computed& node = node_of(value);
            return tensor(record("overwritten", {value.tensor->node}, node.value, node.is_known));
        }
    }
    if (state_.self && value.is(Kind::tensor) && statement != nullptr) {
        const auto& places = flow.assigned[name];
        flow.globals.push_back(
            {name, place_at(at.line), line(), places.empty() ? Place{} : places.back(), value.tensor->node});
    }
    return value;
}

// Gives `inputs` the value of the options, and `batch` the inputs twice as in the chapter, unless the
// document assigns them anywhere.
bool Interpreter::assume(const std::string& name) {
    const bool is_batch = name == "batch";
    const bool is_lacking = (is_batch || name == "inputs") && !assigned_.contains(name);
    flow.lacks_inputs = flow.lacks_inputs || is_lacking;
    if (!is_lacking || !options.inputs) {
        return false;
    }
    if (is_batch) {
        if (!globals_.contains("inputs") && !assume("inputs")) {
            return false;
        }
        const Value inputs = globals_.at("inputs");
        if (!inputs.is(Kind::tensor) || node_of(inputs).value.rank() != 2) {
            return false;
        }
        globals_[name] = computed("stack", {inputs, inputs}, [&]() -> std::optional<Tensor> {
            const Tensor once = with_axis(node_of(inputs).value, 0);
            return cat({once, once}, 0);
        });
        return true;
    }
    flow.assumed_inputs = record("inputs", {}, *options.inputs);
    Computed& node = flow.nodes[*flow.assumed_inputs];
    node.name = name;
    node.place = {};
    node.line.clear();
    globals_[name] = tensor(*flow.assumed_inputs);
    return true;
}

void Interpreter::assign(const Expression& target, const Value& value) {
    const std::string name(target.text);
    switch (target.kind) {
        case Expression::Kind::name:
            if (!state_.scope) {
                flow.assigned[name].push_back(place());
            }
            names()[name] = value;
            name_node(value, name);
            if (value.is(Kind::object) && flow.modules[value.object->module].name.empty()) {
                flow.modules[value.object->module].name = name;
            }
            break;
        case Expression::Kind::tuple:
        case Expression::Kind::list: {
            const std::vector<Value> items = iterated(value);
            for (std::size_t i = 0; i < target.operands.size(); ++i) {
                assign(target.operands[i], i < items.size() ? items[i] : Value{});
            }
            break;
        }
        case Expression::Kind::attribute: {
            const Value object = evaluate(target.operands[0]);
            if (object.is(Kind::tensor) && name == "data") {
                replace(object, value);
            } else if (object.object != nullptr) {
                object.object->attributes[name] = value;
                name_node(value, name);
            }
            break;
        }
        case Expression::Kind::subscript:
            assign_part(target, value);
            break;
        default:
            break;
    }
}

void Interpreter::change(const Expression& of, const Value& value) {
    if (of.is(Expression::Kind::name)) {
        Value* const found = local(of.text);
        (found != nullptr ? *found : globals_[std::string(of.text)]) = value;
    } else if (of.is(Expression::Kind::attribute) || of.is(Expression::Kind::subscript)) {
        assign(of, value);
    }
}

// x[i] = value
void Interpreter::assign_part(const Expression& target, const Value& value) {
    const Expression& of = target.operands[0];
    Value whole = evaluate(of);
    if (whole.is(Kind::object)) {
        whole.object->put(evaluate(target.operands[1]), value);
        return;
    }
    if (!whole.is(Kind::tensor)) {
        const Value index = evaluate(target.operands[1]);
        Value* const item = whole.is(Kind::dictionary) ? &whole.item_or_new(index) : whole.item(index);
        if (item != nullptr) {
            *item = value;
            name_node(value, index.text);
        }
        change(of, item != nullptr ? whole : Value{});
        return;
    }
    replace(whole, computed("set", {whole, value}, [&]() -> std::optional<Tensor> {
                Tensor x = tensor_of(whole);
                const auto at = selected_by(x.shape(), target.operands[1]);
                if (!at) {
                    return std::nullopt;
                }
                const Tensor part = expand(given({value}).input(), at->shape);
                for (std::size_t i = 0; i < at->offsets.size(); ++i) {
                    x.values()[at->offsets[i]] = part.values()[i];
                }
                return x;
            }));
    if (of.is(Expression::Kind::subscript)) {  // x[i][j] = value
        assign_part(of, whole);
    }
}

Value of_library(std::string path) {
    static const std::map<std::string_view, double> constants{
        {".inf", INFINITY},         {".pi", 3.141592653589793}, {".e", 2.718281828459045},
        {"finfo.min", -FLT_MAX},    {"finfo.max", FLT_MAX},     {"finfo.tiny", FLT_MIN},
        {"finfo.eps", FLT_EPSILON},
    };
    const std::size_t end = path.starts_with("finfo.") ? 0 : std::min(path.rfind('.'), path.size());
    const auto constant = constants.find(std::string_view(path).substr(end));
    return constant != constants.end() ? Value::of(constant->second)
                                       : Value{.kind = Kind::library, .text = std::move(path)};
}

}  // namespace attn::flow
