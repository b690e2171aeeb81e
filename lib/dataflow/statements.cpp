// Statements: assignments, loops, conditions, imports.
#include "dataflow/interpreter.hpp"

namespace attn::flow {

namespace {

// torch.nn of `from torch import nn`
std::string path_of(const Expression& imported) {
    const std::string module(imported.source);
    return module.empty() ? std::string(imported.text) : module + "." + std::string(imported.text);
}

}  // namespace

void Interpreter::execute_all(const std::vector<Statement>& statements) {
    for (const Statement& one : statements) {
        if (state_.returned || !state_.jump.empty()) {
            return;
        }
        execute(one);
    }
}

void Interpreter::execute(const Statement& of) {
    if (!spend(1)) {
        return;
    }
    const Statement* const outer = std::exchange(statement, &of);
    using enum Statement::Kind;
    switch (of.kind) {
        case expression:
            last_ = evaluate(of.value);
            break;
        case assignment:
            assign_all(of);
            break;
        case augmented:
            augment(of);
            break;
        case function:
        case class_: {
            const Value defined = define(of);
            names()[std::string(of.text)] = defined;
            break;
        }
        case import:
            for (std::size_t i = 0; i + 1 < of.targets.size(); i += 2) {
                const std::string path = path_of(of.targets[i]);
                has_torch_ = has_torch_ || path.starts_with("torch");
                globals_[std::string(of.targets[i + 1].text)] = of_library(path);
            }
            break;
        case for_:
            loop(of);
            break;
        case with: {
            const Value context = evaluate(of.value);
            is_certain = is_certain && !of.source.starts_with("try");
            for (const Expression& target : of.targets) {
                assign(target, context);
            }
            execute_all(of.body);
            break;
        }
        case if_:
            if (const std::optional<bool> condition = truth_of(evaluate(of.value))) {
                execute_all(*condition ? of.body : of.otherwise);
            }
            break;
        case return_:
            state_.returned = evaluate(of.value);
            break;
        case while_:
            ++loops_;
            while (truth_of(evaluate(of.value)) == true && runs_on(of.body)) {
            }
            state_.jump = {};
            --loops_;
            break;
        case other:
            decorator_ = of.text == "@" ? of.source : decorator_;
            is_certain = is_certain && of.text != "global" && of.text != "nonlocal";
            state_.jump = of.text == "break" || of.text == "continue" ? of.text : state_.jump;
            break;
    }
    statement = outer;
}

void Interpreter::assign_all(const Statement& of) {
    const Value value = evaluate(of.value);
    for (const Expression& target : of.targets) {
        assign(target, value);
        if (target.is(Expression::Kind::name) && !state_.scope && loops_ == 0) {
            const std::string name(target.text);
            overwritten_.erase(name);
            plain_.erase(name);
            if (value.is(Kind::number) || value.is(Kind::tensor)) {
                plain_[name] = place();
            }
            separate_changed(of, name);
        }
    }
}

// After `masked = scores.masked_fill_(…)`, gives `scores` a node of its own, so that its later uses are told
// from those of `masked`.
void Interpreter::separate_changed(const Statement& of, std::string_view name) {
    const Expression& function = of.value;
    const Expression* const method = function.is(Expression::Kind::call) ? &function.operands[0] : nullptr;
    if (method == nullptr || !method->is(Expression::Kind::attribute) || !method->text.ends_with('_') ||
        !method->operands[0].is(Expression::Kind::name) || method->operands[0].text == name) {
        return;
    }
    const auto changed = globals_.find(method->operands[0].text);
    if (changed != globals_.end() && changed->second.is(Kind::tensor)) {
        const std::size_t node = changed->second.tensor->node;
        changed->second = tensor(record("changed", {node}, flow.nodes[node].value));
        name_node(changed->second, changed->first);
    }
}

void Interpreter::augment(const Statement& of) {
    const Expression& target = of.targets.at(0);
    const Value before = evaluate(target);
    const Value by = evaluate(of.value);
    const Value after = operate(of.text, before, by);
    if (!before.is(Kind::tensor) || !after.is(Kind::tensor) || target.is(Expression::Kind::subscript)) {
        assign(target, after);
        return;
    }
    replace(before, after);
    if (target.is(Expression::Kind::name)) {
        name_node(after, std::string(target.text));
        if (!state_.scope) {
            flow.assigned[std::string(target.text)].push_back(place());
        }
    }
}

// Runs the body of a loop once. Returns false if the loop ends.
bool Interpreter::runs_on(const std::vector<Statement>& body) {
    execute_all(body);
    if (state_.jump == "continue") {
        state_.jump = {};
    }
    return state_.jump.empty() && !state_.returned && spend(1);
}

void Interpreter::loop(const Statement& of) {
    const Expression& target = of.targets.at(0);
    ++loops_;
    for (const Value& one : iterated(evaluate(of.value))) {
        assign(target, one);
        if (!runs_on(of.body)) {
            break;
        }
        statement = &of;
    }
    state_.jump = {};
    --loops_;
    const bool is_tuple = target.is(Expression::Kind::tuple);
    for (std::size_t i = 0; i < (is_tuple ? target.operands.size() : 1) && !state_.scope; ++i) {
        const std::string name((is_tuple ? target.operands[i] : target).text);
        if (const auto before = plain_.find(name); before != plain_.end()) {
            overwritten_[name] = {name, {}, before->second, place_at(of.line)};
            plain_.erase(before);
        }
    }
}

}  // namespace attn::flow
