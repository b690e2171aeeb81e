// Runs the cells of a document in the order of their execution counts.
#include <algorithm>
#include <functional>

#include "dataflow/interpreter.hpp"

namespace attn {

namespace flow {

namespace {

// Calls `take` with each name that these statements give a value.
void each_assigned(const std::vector<Statement>& statements,
                   const std::function<void(std::string_view)>& take) {
    const std::function<void(const Expression&)> take_target = [&](const Expression& target) {
        if (target.is(Expression::Kind::name)) {
            take(target.text);
        } else if (target.is(Expression::Kind::tuple)) {
            std::ranges::for_each(target.operands, take_target);
        }
    };
    for (const Statement& statement : statements) {
        using enum Statement::Kind;
        if (statement.kind == function || statement.kind == class_) {
            take(statement.text);
        }
        if (statement.kind == assignment || statement.kind == import || statement.kind == for_) {
            for (const Expression& target : statement.targets) {
                take_target(target);
            }
        }
        if (statement.kind == with || statement.kind == for_ || statement.kind == if_ ||
            statement.kind == while_) {
            each_assigned(statement.body, take);
            each_assigned(statement.otherwise, take);
        }
    }
}

bool ends_with_semicolon(const Statement& statement) {
    const std::size_t last = statement.source.find_last_not_of(" \n");
    return last != std::string_view::npos && statement.source[last] == ';';
}

}  // namespace

Dataflow Interpreter::run() {
    for (const python::Code& code : code_) {
        each_assigned(code.statements, [this](std::string_view name) { assigned_.emplace(name); });
    }
    for (std::size_t i = document.items.size(); i-- > 0;) {
        if (document.items[i].place.execution_count) {
            each_assigned(code_[i].statements, [&](std::string_view name) {
                std::vector<std::size_t>& items = items_of_[std::string(name)];
                if (items.empty() || items.back() != i) {
                    items.push_back(i);
                }
            });
        }
    }
    bool is_first_run = true;
    for (const auto& [count, item] : order()) {
        const bool is_again = options.again && item == options.again->item;
        is_silent_ = is_again && std::exchange(is_first_run, false);
        is_again_ = is_again || has_run_.contains(item);
        run_item(item);
    }
    for (const std::shared_ptr<Object>& object : objects_) {
        Module& module = flow.modules[object->module];
        for (const auto& [name, value] : attributes_of(*object)) {
            if (value.is(Kind::tensor)) {
                module.tensors[name] = value.tensor->node;
            } else if (value.is_number()) {
                module.numbers.emplace(name, value.number);
            }
        }
    }
    return std::move(flow);
}

void Interpreter::run_item(std::size_t of) {
    has_run_.insert(of);
    item = running_ = of;
    const std::vector<Statement>& statements = code_[of].statements;
    for (const Statement& one : statements) {
        execute(one);
        const bool is_last = &one == &statements.back();
        if (is_last && one.kind == Statement::Kind::expression &&
            document.format != Document::Format::script && !ends_with_semicolon(one)) {
            show_last(one.value);
        }
        state_.returned.reset();
    }
}

// A cell that uses a variable of a cell that has not run yet: that cell had an earlier run, which the
// notebook no longer shows. Runs it, if there is one.
bool Interpreter::run_earlier(std::string_view name) {
    const auto found = items_of_.find(name);
    if (found == items_of_.end() || options.in_document_order) {
        return false;
    }
    std::vector<std::size_t>& items = found->second;  // the next one is the last
    while (!items.empty() && has_run_.contains(items.back())) {
        items.pop_back();
    }
    if (items.empty()) {
        return false;
    }
    State state = std::exchange(state_, {});
    const std::size_t outer_item = item;
    const std::size_t running = running_;
    const Statement* const outer = std::exchange(statement, nullptr);
    const bool is_silent = std::exchange(is_silent_, true);
    run_item(items.back());
    state_ = std::move(state);
    item = outer_item;
    running_ = running;
    statement = outer;
    is_silent_ = is_silent;
    return true;
}

// Execution counts with the items of the code.
std::vector<std::pair<std::size_t, std::size_t>> Interpreter::order() const {
    std::vector<std::pair<std::size_t, std::size_t>> items;
    for (std::size_t i = 0; i < document.items.size(); ++i) {
        const Item& one = document.items[i];
        const bool is_run = document.format != Document::Format::notebook || one.place.execution_count;
        if (one.kind == Item::Kind::code && is_run) {
            items.emplace_back(one.place.execution_count.value_or(0), i);
            if (is_run_twice(i)) {
                items.push_back(items.back());
            }
        }
    }
    if (options.again && !is_run_twice(options.again->item)) {
        items.emplace_back(options.again->count, options.again->item);
    }
    if (!options.in_document_order) {
        std::ranges::stable_sort(items, {}, [](const auto& one) { return one.first; });
    }
    return items;
}

// True for a cell that runs twice in a row.
bool Interpreter::is_run_twice(std::size_t of) const {
    return options.again && options.again->item == of &&
           document.items[of].place.execution_count == options.again->count;
}

}  // namespace flow

Dataflow follow(const Document& document, const std::vector<python::Code>& code,
                const DataflowOptions& options) {
    return flow::Interpreter(document, code, options).run();
}

}  // namespace attn
