// Functions and classes of the document: their definitions, calls and members.
#include <algorithm>

#include "dataflow/interpreter.hpp"

namespace attn::flow {

Value Interpreter::define(const Statement& of) {
    Definition made{&of, item, state_.scope, std::exchange(decorator_, {})};
    const std::string_view decorator = made.decorator.substr(0, made.decorator.find_first_of("(."));
    const auto found = globals_.find(decorator.substr(std::min<std::size_t>(decorator.size(), 1)));
    is_certain = is_certain && (found == globals_.end() || !found->second.is(Kind::function));
    const std::size_t code = definitions_.size();
    if (!made.is_class()) {
        definitions_.push_back(made);
        return {.kind = Kind::function, .code = code};
    }
    for (const Expression& base : of.targets) {
        if (const Value type = evaluate(base); type.is(Kind::function)) {
            made.bases.push_back(type.code);
        }
    }
    made.scope = std::make_shared<Scope>(Scope{{}, state_.scope});
    definitions_.push_back(made);
    const std::shared_ptr<Scope> outer = std::exchange(state_.scope, made.scope);
    execute_all(of.body);
    state_.scope = outer;
    for (const auto& [name, value] : made.scope->names) {
        if (value.is(Kind::function)) {  // its body does not see the names of the class
            definitions_[value.code].owner = code;
            definitions_[value.code].scope = outer;
        }
    }
    return {.kind = Kind::function, .code = code};
}

Value Interpreter::call_definition(const Value& function, Arguments arguments) {
    constexpr std::size_t work_of_call = 200;
    const Definition definition = definitions_[function.code];
    if (definition.is_class()) {
        return construct(function.code, std::move(arguments));
    }
    if (depth >= most_depth || !spend(work_of_call)) {
        return {};
    }
    const std::vector<python::Argument>& parameters = definition.statement->parameters;
    Names names;
    std::size_t positional = 0;
    const std::size_t skipped = function.object != nullptr && !parameters.empty() ? 1 : 0;
    if (skipped > 0) {
        names[std::string(parameters[0].name)] = {.kind = Kind::object, .object = function.object};
    }
    const std::vector<Value>& values = arguments.values;
    const std::vector<std::string>& keywords = arguments.keywords;
    std::vector<bool> used(values.size());
    for (std::size_t i = skipped; i < parameters.size(); ++i) {
        const std::string name(parameters[i].name);
        if (name.starts_with("*")) {
            const bool is_keyword_rest = name.starts_with("**");
            std::vector<Value> rest;
            for (std::size_t k = 0; k < values.size(); ++k) {
                if (!used[k] && keywords[k].empty() != is_keyword_rest) {
                    if (is_keyword_rest) {
                        rest.push_back(Value::of(keywords[k]));
                    }
                    rest.push_back(values[k]);
                    used[k] = true;
                }
            }
            Value& all = names[name.substr(is_keyword_rest ? 2 : 1)];
            if (is_keyword_rest) {
                all = Value::dictionary(std::move(rest));
            } else {
                all = Value::of(std::move(rest));
            }
            continue;
        }
        const Value* value = nullptr;
        for (std::size_t k = 0; k < values.size() && value == nullptr; ++k) {
            if (!used[k] && (keywords[k].empty() ? positional == i - skipped : keywords[k] == name)) {
                value = &values[k];
                used[k] = true;
                positional += keywords[k].empty() ? 1 : 0;
            }
        }
        const bool is_kept = value == nullptr && parameters[i].value &&  // from call to call
                             (parameters[i].value->is(Expression::Kind::list) ||
                              parameters[i].value->is(Expression::Kind::dictionary));
        is_certain = is_certain && !is_kept;
        names[name] = value != nullptr      ? *value
                      : parameters[i].value ? evaluate(*parameters[i].value)
                                            : Value{};
    }
    const std::size_t outer_item = std::exchange(item, definition.item);
    const Statement* const outer = statement;
    State state =
        std::exchange(state_, {.scope = std::make_shared<Scope>(Scope{std::move(names), definition.scope}),
                               .self = function.object,
                               .running_class = definition.owner});
    ++depth;
    execute_all(definition.statement->body);
    --depth;
    Value result = state_.returned ? *state_.returned : Value::none();
    if (result.returned_by.empty()) {
        const std::string_view called = definition.statement->text;
        const bool is_forward = definition.owner && (called == "forward" || called == "__call__");
        result.returned_by = is_forward ? definitions_[*definition.owner].statement->text : called;
    }
    state_ = std::move(state);
    statement = outer;
    item = outer_item;
    return result;
}

Value Interpreter::construct(std::size_t type, Arguments arguments) {
    const Statement& code = *definitions_[type].statement;
    Value object = make_object(std::string(code.text), type);
    const Value* const init = member_of(type, "__init__");
    std::vector<std::string> names;  // of the arguments
    if (init != nullptr) {
        for (const python::Argument& parameter : definitions_[init->code].statement->parameters) {
            names.emplace_back(parameter.name);
        }
        if (!names.empty()) {
            names.erase(names.begin());  // self
        }
    } else {  // the fields of a data class
        for (const Statement& field : code.body) {
            const bool is_field = field.kind == Statement::Kind::assignment || field.text.empty();
            names.emplace_back(is_field ? field.source.substr(0, field.source.find_first_of(" :=")) : "");
        }
        std::erase(names, "");
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& keyword = arguments.keywords[i];
        const std::string name = !keyword.empty() ? keyword : i < names.size() ? names[i] : "";
        if (arguments[i].is_number()) {
            flow.modules[object.object->module].numbers[name] = arguments[i].number;
        }
        if (init == nullptr) {
            object.object->attributes[name] = arguments[i];
        }
    }
    if (init != nullptr) {
        call_definition(bound(*init, object.object), std::move(arguments));
    }
    return object;
}

Value Interpreter::bound(Value member, const std::shared_ptr<Object>& object) {
    const std::string_view decorator =
        member.is(Kind::function) ? definitions_[member.code].decorator : "@staticmethod";
    if (decorator != "@staticmethod") {
        member.object = object;
    }
    return decorator == "@property" ? call_definition(member, {}) : member;
}

// A method of a base class, for the object whose method runs.
Value Interpreter::inherited(const std::string& method, Arguments arguments) {
    if (!state_.running_class) {
        return Value::none();
    }
    for (const std::size_t base : definitions_[*state_.running_class].bases) {
        if (const Value* const found = member_of(base, method)) {
            return call(bound(*found, state_.self), std::move(arguments));
        }
    }
    return Value::none();
}

const Value* Interpreter::member_of(std::size_t type, std::string_view name) const {
    std::set<std::size_t> seen;
    return find_member(type, name, seen);
}

// Looks into each class once; `seen` are those that it looked into.
const Value* Interpreter::find_member(std::size_t type, std::string_view name,
                                      std::set<std::size_t>& seen) const {
    const Definition& of = definitions_[type];
    if (!of.is_class() || seen.size() > most_depth || !seen.insert(type).second) {
        return nullptr;
    }
    if (const auto found = of.scope->names.find(name); found != of.scope->names.end()) {
        return &found->second;
    }
    for (const std::size_t base : of.bases) {
        if (const Value* const found = find_member(base, name, seen)) {
            return found;
        }
    }
    return nullptr;
}

}  // namespace attn::flow
