// Evaluates statements and expressions in the order of execution. Unsupported code gives an unknown value,
// and so does everything that depends on it.
#include "dataflow/dataflow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "dataflow/draws.hpp"
#include "dataflow/tensor_functions.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "tensor/matmul.hpp"
#include "tensor/numpy.hpp"
#include "tensor/strided.hpp"
#include "text/ascii.hpp"
#include "text/replace.hpp"

namespace attn {

namespace flow {

struct Object {
    std::string type;
    std::optional<std::size_t> definition{};  // of a class of the document
    std::map<std::string, Value> attributes{};
    std::size_t module = 0;  // its index in Dataflow::modules
    bool is_training = true;
    std::shared_ptr<Stream> stream{};  // of torch.Generator() and np.random.RandomState()
};

namespace {

using python::Expression;
using python::Statement;
using Kind = Value::Kind;
using Names = std::map<std::string, Value, std::less<>>;
using Bases = std::vector<std::size_t>;

// Limits of the work: numbers computed, statements run, and calls within each other.
constexpr std::size_t most_work = 4'000'000;
constexpr std::size_t most_nodes = 15'000;  // followed one by one
constexpr std::size_t most_drawn = 2'000'000;
constexpr std::size_t most_depth = 40;

// The local variables of a call. A function also sees those of the calls around its definition.
struct Scope {
    Names names;
    std::shared_ptr<Scope> outer;
};

// A function or class of the document.
struct Definition {
    const Statement* statement;
    std::size_t item;
    std::shared_ptr<Scope> scope{};      // where it was defined; of a class, its own names
    std::string_view decorator{};        // "@staticmethod"
    Bases bases{};                       // of a class
    std::optional<std::size_t> owner{};  // of a method
};

// Modules that were visited, because a module may contain another in exponentially many ways.
class Visits {
public:
    // Returns true for the first few visits of a module.
    bool begin(const Object& module) {
        constexpr std::size_t most = 8;
        return ++times_[&module] <= most;
    }

private:
    std::map<const Object*, std::size_t> times_;
};

class Follower {
public:
    Follower(const Document& document, const std::vector<python::Code>& code, const DataflowOptions& options)
        : document_(document), code_(code), options_(options) {}

    Dataflow run() {
        for (std::size_t i = document_.items.size(); i-- > 0;) {
            if (document_.items[i].place.execution_count) {
                each_assigned(code_[i].statements, [&](std::string_view name) {
                    std::vector<std::size_t>& items = items_of_[std::string(name)];
                    if (items.empty() || items.back() != i) {
                        items.push_back(i);
                    }
                });
            }
        }
        for (const auto& [count, item] : order()) {
            const bool is_again = options_.again && item == options_.again->item;
            is_silent_ = is_again && std::exchange(is_first_run_, false);
            is_again_ = is_again || has_run_.contains(item);
            run_item(item);
        }
        for (auto& [object, value] : objects_) {
            describe(*object);
        }
        return std::move(flow_);
    }

private:
    void run_item(std::size_t item) {
        has_run_.insert(item);
        item_ = running_ = item;
        const std::vector<Statement>& statements = code_[item].statements;
        for (const Statement& statement : statements) {
            execute(statement);
            const bool is_last = &statement == &statements.back();
            if (is_last && statement.kind == Statement::Kind::expression &&
                document_.format != Document::Format::script && !ends_with_semicolon(statement)) {
                show_last(statement.value);
            }
            state_.returned.reset();
        }
    }

    // A cell that uses a variable of a cell that has not run yet: that cell had an earlier run, which the
    // notebook no longer shows. Runs it, if there is one.
    bool run_earlier(std::string_view name) {
        const auto found = items_of_.find(name);
        if (found == items_of_.end() || options_.in_document_order) {
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
        const std::size_t item = item_;
        const std::size_t running = running_;
        const Statement* const statement = std::exchange(statement_, nullptr);
        const bool is_silent = std::exchange(is_silent_, true);
        run_item(items.back());
        state_ = std::move(state);
        item_ = item;
        running_ = running;
        statement_ = statement;
        is_silent_ = is_silent;
        return true;
    }

    // Calls `take` with each name that these statements give a value.
    static void each_assigned(const std::vector<Statement>& statements,
                              const std::function<void(std::string_view)>& take) {
        const auto take_target = [&](const Expression& target) {
            if (target.is(Expression::Kind::name)) {
                take(target.text);
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
                    if (target.is(Expression::Kind::tuple)) {
                        std::ranges::for_each(target.operands, take_target);
                    }
                }
            }
            if (statement.kind == with || statement.kind == for_) {
                each_assigned(statement.body, take);
            }
        }
    }

    // ---- order ------------------------------------------------------------------------------------------

    // Execution counts with the items of the code.
    std::vector<std::pair<std::size_t, std::size_t>> order() const {
        std::vector<std::pair<std::size_t, std::size_t>> items;
        for (std::size_t i = 0; i < document_.items.size(); ++i) {
            const Item& item = document_.items[i];
            const bool is_run = document_.format != Document::Format::notebook || item.place.execution_count;
            if (item.kind == Item::Kind::code && is_run) {
                items.emplace_back(item.place.execution_count.value_or(0), i);
                if (is_run_twice(i)) {
                    items.push_back(items.back());
                }
            }
        }
        if (options_.again && !is_run_twice(options_.again->item)) {
            items.emplace_back(options_.again->count, options_.again->item);
        }
        if (!options_.in_document_order) {
            std::ranges::stable_sort(items, {}, [](const auto& one) { return one.first; });
        }
        return items;
    }

    // True for a cell that runs twice in a row.
    bool is_run_twice(std::size_t item) const {
        return options_.again && options_.again->item == item &&
               document_.items[item].place.execution_count == options_.again->count;
    }

    static bool ends_with_semicolon(const Statement& statement) {
        const std::string_view source = statement.source;
        const std::size_t last = source.find_last_not_of(" \n");
        return last != std::string_view::npos && source[last] == ';';
    }

    Place place_of(const Statement& statement) const {
        return document_.items[item_].place_of(statement.line);
    }

    // ---- tensors ----------------------------------------------------------------------------------------

    bool spend(std::size_t work) {
        work_ += work;
        return work_ < most_work && flow_.nodes.size() < most_nodes;
    }

    static std::size_t items_in(const Value& value) {
        return std::accumulate(value.items.begin(), value.items.end(), std::size_t{1},
                               [](std::size_t sum, const Value& item) { return sum + items_in(item); });
    }

    // Returns true if the work allows `times` copies of a value. Lists double quickly.
    bool affords(const Value& value, std::size_t times = 1) {
        constexpr std::size_t work_of_item = 8;
        return spend(work_of_item * items_in(value) * times);
    }

    Value affordable(Value value) { return affords(value) ? std::move(value) : Value{}; }

    Value tensor(std::size_t node) const {
        return {.kind = Kind::tensor, .tensor = std::make_shared<Variable>(Variable{node})};
    }

    const Tensor& tensor_of(const Value& value) const { return flow_.nodes[value.tensor->node].value; }

    std::optional<std::size_t> node_of(const Value& value) const {
        return value.is(Kind::tensor) ? std::optional(value.tensor->node) : value.node;
    }

    // Equal for identical tensors.
    static std::uint64_t hash_of(const Tensor& x) {
        std::uint64_t hash = 0;
        for (const float value : x.values()) {
            hash =
                (hash ^ std::bit_cast<std::uint32_t>(std::isnan(value) ? 0.0F : value)) * 0x9E3779B97F4A7C15U;
        }
        return hash;
    }

    // Records a result. Equal calls with equal results are one node.
    std::size_t record(std::string operation, std::vector<std::size_t> operands, Tensor value,
                       bool is_known = true) {
        const std::tuple key(operation, operands, hash_of(value));
        const auto [first, last] = known_.equal_range(key);
        const auto is_same = [&](const auto& one) {
            const bool is_replaced = options_.replaced && options_.replaced->first == one.second;
            return identical(flow_.nodes[one.second].value, value) || is_replaced;
        };
        const auto same = operands.empty() ? last : std::find_if(first, last, is_same);
        if (same != last) {
            return same->second;
        }
        Computed node{std::move(operation), std::move(operands), std::move(value), is_known};
        for (const std::size_t operand : node.operands) {
            node.is_known = node.is_known && flow_.nodes[operand].is_known;
            const bool is_product = node.operation == "matmul" || node.operation == "linear";
            node.slack = std::max(node.slack, flow_.nodes[operand].slack * (is_product ? 3.0 : 1.0));
        }
        if (statement_ != nullptr) {
            node.place = place_of(*statement_);
            node.line = first_line(statement_->source);
        }
        known_.emplace(key, flow_.nodes.size());
        return append(std::move(node));
    }

    std::size_t append(Computed node) {
        if (options_.replaced && options_.replaced->first == flow_.nodes.size()) {
            node.value = options_.replaced->second;
        }
        flow_.nodes.push_back(std::move(node));
        return flow_.nodes.size() - 1;
    }

    // Each of the tensors in a long line or expression keeps its source, so it is cut.
    static std::string shortened(std::string_view source) {
        constexpr std::size_t longest = 500;
        std::size_t end = std::min(source.size(), longest);
        while (end < source.size() && (static_cast<unsigned char>(source[end]) & 0xC0U) == 0x80U) {
            --end;  // within a character
        }
        return std::string(source.substr(0, end)) + (end < source.size() ? "…" : "");
    }

    static std::string first_line(std::string_view source) {
        return shortened(source.substr(0, source.find('\n')));
    }

    Given given(std::vector<Value> values, std::vector<std::string> keywords = {}) {
        keywords.resize(values.size());
        return {std::move(values), std::move(keywords), [this](const Value& value) -> const Tensor& {
                    if (const bool is_tensor = value.is(Kind::tensor); is_tensor) {
                        return tensor_of(value);
                    }
                    if (!value.is_number()) {
                        not_followed();
                    }
                    return scalars_.emplace_back(Tensor(Shape{}, {static_cast<float>(value.number)}));
                }};
    }

    static void collect(const Value& value, std::vector<std::size_t>& nodes) {
        if (value.is(Kind::tensor)) {
            nodes.push_back(value.tensor->node);
        } else if (value.node) {
            nodes.push_back(*value.node);
        }
        for (const Value& item : value.items) {
            collect(item, nodes);
        }
    }

    std::vector<std::size_t> nodes_of(const std::vector<Value>& values) const {
        std::vector<std::size_t> nodes;
        for (const Value& value : values) {
            collect(value, nodes);
        }
        return nodes;
    }

    template <typename Compute>
    Value computed(std::string operation, const std::vector<Value>& operands, const Compute& compute) {
        try {
            std::vector<std::size_t> nodes = nodes_of(operands);
            const TensorLimit limit(most_work);
            std::optional<Tensor> result = compute();
            if (!result || !spend(result->count() + 1)) {
                return {};
            }
            return tensor(record(std::move(operation), std::move(nodes), std::move(*result)));
        } catch (const Error&) {
            return {};
        }
    }

    // ---- random numbers ---------------------------------------------------------------------------------

    Value drawn(const Draw& draw, Stream& stream) {
        const Shape& shape = draw.shape;
        constexpr std::size_t most_numbers = 64'000'000;  // the embeddings of GPT-2 are 39 million
        constexpr std::size_t numbers_of_work = 64;       // in memory, if they are not drawn
        if (shape.count() > most_numbers || !spend(shape.count() / numbers_of_work)) {
            stream.forget();
            return {};
        }
        const bool is_known = stream.is_known() && shape.count() < most_drawn;
        const std::optional<Generator> before = stream.generator;
        Tensor value(shape);
        if (is_known) {
            value = draw.numbers(stream);
            spend(value.count());
        } else {
            stream.forget();
        }
        const auto printed = options_.drawn.find(flow_.draws.size());
        const bool is_printed =
            !is_known && printed != options_.drawn.end() && printed->second.value.shape() == shape;
        const std::size_t node =
            record(draw.operation, {}, is_printed ? printed->second.value : std::move(value),
                   is_known || is_printed);
        flow_.nodes[node].slack = is_printed ? printed->second.slack : 0.0;
        flow_.draws.push_back(
            {.node = node,
             .seed = before ? std::optional(before->seed()) : std::nullopt,
             .earlier = before ? before->drawn() : 0,
             .seeded = stream.seeded,
             .is_again = is_again_ && !is_silent_ &&
                         !(stream.seeded && stream.seeded->cell == document_.items[item_].place.cell),
             .is_of_module = state_.self != nullptr});
        return tensor(node);
    }

    // ---- names ------------------------------------------------------------------------------------------

    // The variable of this name that a function sees beside those of the notebook, or null.
    Value* local(std::string_view name) const {
        for (Scope* scope = state_.scope.get(); scope != nullptr; scope = scope->outer.get()) {
            if (const auto found = scope->names.find(name); found != scope->names.end()) {
                return &found->second;
            }
        }
        return nullptr;
    }

    Value lookup(const std::string& name, const Expression& at) {
        if (const Value* const found = local(name)) {
            return *found;
        }
        const auto found = globals_.find(name);
        if (found == globals_.end()) {
            return run_earlier(name) ? lookup(name, at) : of_library(name);
        }
        if (const auto lost = overwritten_.find(name);
            lost != overwritten_.end() && !state_.scope && loops_ == 0) {
            flow_.overwritten.push_back(lost->second);
            flow_.overwritten.back().place = document_.items[item_].place_of(at.line);
            if (found->second.is(Kind::tensor)) {
                const std::size_t node = found->second.tensor->node;
                return tensor(
                    record("overwritten", {node}, flow_.nodes[node].value, flow_.nodes[node].is_known));
            }
        }
        if (state_.self && found->second.is(Kind::tensor) && statement_ != nullptr) {
            const auto& places = flow_.assigned[name];
            flow_.globals.push_back({name, document_.items[item_].place_of(at.line),
                                     first_line(statement_->source), places.empty() ? Place{} : places.back(),
                                     found->second.tensor->node});
        }
        return found->second;
    }

    void assign(const Expression& target, const Value& value) {
        if (target.is(Expression::Kind::name)) {
            const std::string name(target.text);
            if (!state_.scope) {
                flow_.assigned[name].push_back(place_of(*statement_));
            }
            (state_.scope ? state_.scope->names : globals_)[name] = value;
            name_node(value, name);
            if (value.is(Kind::object) && value.object->module < flow_.modules.size() &&
                flow_.modules[value.object->module].name.empty()) {
                flow_.modules[value.object->module].name = name;
            }
        } else if (target.is(Expression::Kind::tuple) || target.is(Expression::Kind::list)) {
            const std::vector<Value> items = iterated(value);
            for (std::size_t i = 0; i < target.operands.size(); ++i) {
                assign(target.operands[i], i < items.size() ? items[i] : Value{});
            }
        } else if (target.is(Expression::Kind::attribute)) {
            const Value object = evaluate(target.operands[0]);
            if (object.is(Kind::tensor) && target.text == "data") {
                if (value.is(Kind::tensor)) {
                    object.tensor->node = value.tensor->node;
                } else {
                    forget(object);
                }
            } else if (object.object != nullptr) {
                object.object->attributes[std::string(target.text)] = value;
                name_node(value, std::string(target.text));
            }
        } else if (target.is(Expression::Kind::subscript)) {
            assign_part(target, value);
        }
    }

    void name_node(const Value& value, const std::string& name) {
        if (!value.is(Kind::tensor) || !named_.insert(value.tensor).second) {
            return;
        }
        Computed node = flow_.nodes[value.tensor->node];
        if (node.name.empty()) {
            flow_.nodes[value.tensor->node].name = name;
        } else if (node.name != name && (node.operation == "matmul" || node.operation == "linear") &&
                   statement_ != nullptr) {  // computed again, for a variable of another name
            node.name = name;
            node.place = place_of(*statement_);
            node.line = first_line(statement_->source);
            value.tensor->node = append(std::move(node));
        }
    }

    // x[i] = value
    void assign_part(const Expression& target, const Value& value) {
        Value whole = evaluate(target.operands[0]);
        if (whole.is(Kind::object)) {
            put(*whole.object, evaluate(target.operands[1]), value);
            return;
        }
        if (!whole.is(Kind::tensor)) {
            const Value index = evaluate(target.operands[1]);
            Value* item = item_at(whole, index);
            if (item == nullptr && whole.is(Kind::dictionary)) {
                whole.items.push_back(index);
                item = &whole.items.emplace_back();
            }
            if (item != nullptr) {
                *item = value;
                name_node(value, index.text);
            }
            change(target.operands[0], item != nullptr ? whole : Value{});
            return;
        }
        const Value result = computed("set", {whole, value}, [&]() -> std::optional<Tensor> {
            Tensor x = tensor_of(whole);
            const auto at = part_of(x.shape(), target.operands[1]);
            if (!at || (!value.is(Kind::tensor) && !value.is_number())) {
                return std::nullopt;
            }
            const Tensor part = expand(given({value}).tensor("", 0), at->shape);
            for (std::size_t i = 0; i < at->offsets.size(); ++i) {
                x.values()[at->offsets[i]] = part.values()[i];
            }
            return x;
        });
        if (result.is(Kind::tensor)) {
            whole.tensor->node = result.tensor->node;
        } else {
            forget(whole);
        }
        if (target.operands[0].is(Expression::Kind::subscript)) {  // x[i][j] = value
            assign_part(target.operands[0], whole);
        }
    }

    // The item of a list or dictionary, or null.
    static Value* item_at(Value& whole, const Value& index) {
        if (whole.is(Kind::dictionary)) {
            for (std::size_t i = 0; i + 1 < whole.items.size(); i += 2) {
                if (whole.items[i].kind == index.kind && whole.items[i].text == index.text &&
                    whole.items[i].number == index.number) {
                    return &whole.items[i + 1];
                }
            }
            return nullptr;
        }
        const auto size = static_cast<double>(whole.items.size());
        const double i = index.number < 0 ? index.number + size : index.number;
        return index.is(Kind::number) && i >= 0 && i < size ? &whole.items[static_cast<std::size_t>(i)]
                                                            : nullptr;
    }

    // Gives a variable, an attribute or a part the value that it has after a change in place.
    void change(const Expression& of, const Value& value) {
        if (of.is(Expression::Kind::name)) {
            Value* const found = local(of.text);
            (found != nullptr ? *found : globals_[std::string(of.text)]) = value;
        } else if (of.is(Expression::Kind::attribute) || of.is(Expression::Kind::subscript)) {
            assign(of, value);
        }
    }

    // Makes a tensor unknown whose new value is not followed.
    void forget(const Value& value) {
        if (value.is(Kind::tensor)) {
            value.tensor->node = record("unknown", {value.tensor->node}, tensor_of(value), false);
        }
    }

    std::optional<Selected> part_of(const Shape& shape, const Expression& index) {
        std::vector<IndexPart> parts;
        const auto add = [&](const Expression& one) {
            if (one.is(Expression::Kind::slice)) {
                std::array<std::optional<std::int64_t>, 3> bounds;
                for (std::size_t i = 0; i < bounds.size(); ++i) {
                    const Expression& of = one.operands[i];
                    const Value value = of.is(Expression::Kind::nothing) ? Value::none() : evaluate(of);
                    if (!value.is_number() && !value.is(Kind::none)) {
                        return false;
                    }
                    bounds.at(i) = value.is_number() ? std::optional(static_cast<std::int64_t>(value.number))
                                                     : std::nullopt;
                }
                parts.push_back({IndexPart::Kind::range, bounds[0], bounds[1], bounds[2]});
                return true;
            }
            if (one.is(Expression::Kind::constant) && one.text == "...") {
                parts.push_back({IndexPart::Kind::rest});
                return true;
            }
            const Value value = evaluate(one);
            if (value.is(Kind::none)) {
                parts.push_back({IndexPart::Kind::new_axis});
            } else if (value.is(Kind::number)) {
                parts.push_back({IndexPart::Kind::at, static_cast<std::int64_t>(value.number)});
            } else if (auto chosen = chosen_by(value)) {
                parts.push_back({.kind = IndexPart::Kind::chosen, .chosen = std::move(*chosen)});
            } else {
                return false;
            }
            return true;
        };
        const bool is_tuple = index.is(Expression::Kind::tuple);
        if (const std::optional<Tensor> mask = is_tuple ? std::nullopt : mask_of(shape, index)) {
            Selected at{Shape{}, {}};
            for (std::size_t i = 0; i < mask->count(); ++i) {
                if (mask->values()[i] != 0.0F) {
                    at.offsets.push_back(i);
                }
            }
            at.shape = Shape{at.offsets.size()};
            return at;
        }
        for (std::size_t i = 0; i < (is_tuple ? index.operands.size() : 1); ++i) {
            if (!add(is_tuple ? index.operands[i] : index)) {
                return std::nullopt;
            }
        }
        return selected(shape, parts);
    }

    // The rows that a list of numbers selects, or a tensor of integers.
    std::optional<std::vector<std::size_t>> chosen_by(const Value& value) const {
        std::vector<std::size_t> chosen;
        const auto add = [&](double i) {
            chosen.push_back(static_cast<std::size_t>(std::max(i, 0.0)));
            return i >= 0.0 && i == std::trunc(i);
        };
        bool is_index = value.is(Kind::list) || value.is(Kind::tensor);
        for (const Value& item : value.items) {
            is_index = is_index && item.is(Kind::number) && add(item.number);
        }
        if (value.is(Kind::tensor)) {
            const Computed& node = flow_.nodes[value.tensor->node];
            is_index = node.is_known && node.value.rank() == 1;
            for (const float i : node.value.values()) {
                is_index = is_index && add(static_cast<double>(i));
            }
        }
        return is_index ? std::optional(std::move(chosen)) : std::nullopt;
    }

    // The mask in x[mask], which has the shape of x.
    std::optional<Tensor> mask_of(const Shape& shape, const Expression& index) {
        static const std::set<std::string_view> tests{"compare", "bool", "logical_not", "isnan", "isinf"};
        if (!index.is(Expression::Kind::name) && !index.is(Expression::Kind::binary) &&
            !index.is(Expression::Kind::call) && !index.is(Expression::Kind::unary)) {
            return std::nullopt;
        }
        const Value value = evaluate(index);
        const Computed* const node = value.is(Kind::tensor) ? &flow_.nodes[value.tensor->node] : nullptr;
        return node != nullptr && node->is_known && node->value.shape() == shape &&
                       (shape.rank() > 1 || tests.contains(node->operation))
                   ? std::optional(node->value)
                   : std::nullopt;
    }

    // ---- statements -------------------------------------------------------------------------------------

    void execute_all(const std::vector<Statement>& statements) {
        for (const Statement& statement : statements) {
            if (state_.returned || !state_.jump.empty()) {
                return;
            }
            execute(statement);
        }
    }

    void execute(const Statement& statement) {
        if (!spend(1)) {
            return;
        }
        const Statement* const outer = std::exchange(statement_, &statement);
        using enum Statement::Kind;
        switch (statement.kind) {
            case expression:
                last_ = evaluate(statement.value);
                break;
            case assignment: {
                const Value value = evaluate(statement.value);
                for (const Expression& target : statement.targets) {
                    assign(target, value);
                    if (target.is(Expression::Kind::name) && !state_.scope && loops_ == 0) {
                        const std::string name(target.text);
                        overwritten_.erase(name);
                        plain_.erase(name);
                        if (value.is(Kind::number) || value.is(Kind::tensor)) {
                            plain_[name] = place_of(statement);
                        }
                        separate_changed(statement, name);
                    }
                }
                break;
            }
            case augmented:
                augment(statement);
                break;
            case function:
            case class_:
                (state_.scope ? state_.scope->names : globals_)[std::string(statement.text)] =
                    define(statement);
                break;
            case import:
                for (std::size_t i = 0; i + 1 < statement.targets.size(); i += 2) {
                    const std::string path = path_of(statement.targets[i]);
                    has_torch_ = has_torch_ || path.starts_with("torch");
                    globals_[std::string(statement.targets[i + 1].text)] = of_library(path);
                }
                break;
            case for_:
                loop(statement);
                break;
            case with: {
                const Value context = evaluate(statement.value);
                for (const Expression& target : statement.targets) {
                    assign(target, context);
                }
                execute_all(statement.body);
                break;
            }
            case if_:
                if (const std::optional<bool> condition = truth_of(evaluate(statement.value))) {
                    execute_all(*condition ? statement.body : statement.otherwise);
                }
                break;
            case return_:
                state_.returned = evaluate(statement.value);
                break;
            case while_:
                ++loops_;
                while (truth_of(evaluate(statement.value)) == true && runs_on(statement.body)) {
                }
                state_.jump = {};
                --loops_;
                break;
            case other:
                decorator_ = statement.text == "@" ? statement.source : decorator_;
                state_.jump =
                    statement.text == "break" || statement.text == "continue" ? statement.text : state_.jump;
                break;
        }
        statement_ = outer;
    }

    // Runs the body of a loop once. Returns false if the loop ends.
    bool runs_on(const std::vector<Statement>& body) {
        execute_all(body);
        if (state_.jump == "continue") {
            state_.jump = {};
        }
        return state_.jump.empty() && !state_.returned && spend(1);
    }

    Value define(const Statement& statement) {
        Definition made{&statement, item_, state_.scope, std::exchange(decorator_, {})};
        const std::size_t code = definitions_.size();
        if (statement.kind == Statement::Kind::class_) {
            for (const Expression& base : statement.targets) {
                if (const Value of = evaluate(base); of.is(Kind::function)) {
                    made.bases.push_back(of.code);
                }
            }
            made.scope = std::make_shared<Scope>(Scope{{}, state_.scope});
            definitions_.push_back(made);
            const std::shared_ptr<Scope> outer = std::exchange(state_.scope, made.scope);
            execute_all(statement.body);
            state_.scope = outer;
            for (const auto& [name, value] : made.scope->names) {
                if (value.is(Kind::function)) {  // its body does not see the names of the class
                    definitions_[value.code].owner = code;
                    definitions_[value.code].scope = outer;
                }
            }
        } else {
            definitions_.push_back(made);
        }
        return {.kind = Kind::function, .code = code};
    }

    void loop(const Statement& statement) {
        const Expression& target = statement.targets.at(0);
        ++loops_;
        for (const Value& item : iterated(evaluate(statement.value))) {
            assign(target, item);
            if (!runs_on(statement.body)) {
                break;
            }
            statement_ = &statement;
        }
        state_.jump = {};
        --loops_;
        const bool is_tuple = target.is(Expression::Kind::tuple);
        for (std::size_t i = 0; i < (is_tuple ? target.operands.size() : 1) && !state_.scope; ++i) {
            const std::string name((is_tuple ? target.operands[i] : target).text);
            if (const auto before = plain_.find(name); before != plain_.end()) {
                overwritten_[name] = {name, {}, before->second, place_of(statement)};
                plain_.erase(before);
            }
        }
    }

    // After `masked = scores.masked_fill_(…)`, gives `scores` a node of its own, so that its later uses are
    // told from those of `masked`.
    void separate_changed(const Statement& statement, std::string_view name) {
        const Expression& call = statement.value;
        const Expression* const method = call.is(Expression::Kind::call) ? &call.operands[0] : nullptr;
        if (method == nullptr || !method->is(Expression::Kind::attribute) || !method->text.ends_with('_') ||
            !method->operands[0].is(Expression::Kind::name) || method->operands[0].text == name) {
            return;
        }
        const auto changed = globals_.find(method->operands[0].text);
        if (changed != globals_.end() && changed->second.is(Kind::tensor)) {
            const std::size_t node = changed->second.tensor->node;
            changed->second = tensor(record("changed", {node}, flow_.nodes[node].value));
            name_node(changed->second, changed->first);
        }
    }

    // A function of a library by its dotted name, or a constant.
    static Value of_library(std::string path) {
        static const std::map<std::string_view, double> constants{
            {".inf", INFINITY}, {".pi", 3.141592653589793}, {".e", 2.718281828459045}};
        const auto constant =
            constants.find(std::string_view(path).substr(std::min(path.rfind('.'), path.size())));
        return constant != constants.end() ? Value::of(constant->second)
                                           : Value{.kind = Kind::library, .text = std::move(path)};
    }

    // torch.nn of `from torch import nn`
    static std::string path_of(const Expression& imported) {
        const std::string module(imported.source);
        return module.empty() ? std::string(imported.text) : module + "." + std::string(imported.text);
    }

    void augment(const Statement& statement) {
        const Expression& target = statement.targets.at(0);
        const Value before = evaluate(target);
        const Value by = evaluate(statement.value);
        const Value after = operate(statement.text, before, by);
        if (before.is(Kind::tensor) && after.is(Kind::tensor) && !target.is(Expression::Kind::subscript)) {
            before.tensor->node = after.tensor->node;
            if (target.is(Expression::Kind::name)) {
                name_node(after, std::string(target.text));
                if (!state_.scope) {
                    flow_.assigned[std::string(target.text)].push_back(place_of(statement));
                }
            }
        } else {
            assign(target, after);
        }
    }

    // ---- expressions ------------------------------------------------------------------------------------

    std::vector<Value> iterated(const Value& value) {
        std::vector<Value> items;
        if (value.is(Kind::list)) {
            return value.items;
        }
        if (value.is(Kind::tensor) && tensor_of(value).rank() > 0) {
            const Tensor& x = tensor_of(value);
            const std::size_t rows = x.shape()[0];
            for (std::size_t i = 0; i < rows; ++i) {
                items.push_back(computed("select", {value}, [&] { return select(tensor_of(value), {i}); }));
            }
        }
        if (value.is(Kind::dictionary)) {
            for (std::size_t i = 0; i + 1 < value.items.size(); i += 2) {
                items.push_back(value.items[i]);
            }
        }
        if (value.is(Kind::text)) {
            for (const char c : value.text) {
                const bool goes_on = (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;  // UTF-8
                if (goes_on && !items.empty()) {
                    items.back().text += c;
                } else {
                    items.push_back(Value::of(std::string(1, c)));
                }
            }
        }
        if (value.is(Kind::object)) {
            return iterated(contents_of(value));
        }
        return items;
    }

    // The modules of a ModuleList or ModuleDict as a list or dictionary; other objects have none.
    static Value contents_of(const Value& object) {
        const auto found = object.object->attributes.find("");
        return found == object.object->attributes.end() ? Value{} : found->second;
    }

    // Adds a module to such an object, or replaces it.
    static void put(Object& self, const Value& index, const Value& module) {
        Value& contents = self.attributes[""];
        Value* item = item_at(contents, index);
        if (item == nullptr) {
            if (contents.is(Kind::dictionary)) {
                contents.items.push_back(index);
            }
            item = &contents.items.emplace_back();
        }
        *item = module;
        if (const std::optional<std::string> name = text_of(index); name && !name->empty()) {
            self.attributes[*name] = module;
        }
    }

    Value evaluate(const Expression& of) {
        if (!spend(1) || depth_ > most_depth) {
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
            case call:
                return called(of);
            case subscript:
                return part(evaluate(of.operands[0]), of.operands[1]);
            case unary: {
                const Value x = evaluate(of.operands[0]);
                if (of.text == "not") {
                    const std::optional<bool> is_true = truth_of(x);
                    return is_true ? Value::truth(!*is_true) : Value{};
                }
                if (x.is_number()) {
                    return of.text == "-" ? Value::of(-x.number) : x;
                }
                return x.is(Kind::tensor) && of.text == "-"   ? call_function("neg", {x}, {})
                       : x.is(Kind::tensor) && of.text == "~" ? call_function("logical_not", {x}, {})
                                                              : Value{};
            }
            case walrus: {
                const Value value = evaluate(of.operands[1]);
                assign(of.operands[0], value);
                return value;
            }
            case binary: {
                const Value left = evaluate(of.operands[0]);  // first, because it may draw random numbers
                if (of.text == "and" || of.text == "or") {
                    const std::optional<bool> is_true = truth_of(left);
                    return !is_true                        ? Value{}
                           : *is_true == (of.text == "or") ? left
                                                           : evaluate(of.operands[1]);
                }
                return operate(of.text, left, evaluate(of.operands[1]));
            }
            case conditional: {
                const std::optional<bool> condition = truth_of(evaluate(of.operands[1]));
                return condition ? evaluate(of.operands[*condition ? 0 : 2]) : Value{};
            }
            case list:
            case tuple: {
                std::vector<Value> items;
                for (const Expression& item : of.operands) {
                    items.push_back(evaluate(item));
                }
                return affordable(Value::of(std::move(items)));
            }
            case dictionary: {
                Value result = Value::of(std::vector<Value>());
                result.kind = Kind::dictionary;
                for (const Expression& item : of.operands) {
                    result.items.push_back(evaluate(item));
                }
                return affordable(std::move(result));
            }
            case comprehension:
                return comprehended(of);
            case lambda:
                return defined(of);
            case format:
                return formatted(of);
            default:
                return {};
        }
    }

    // The text of an f-string, if its values are texts and integers.
    Value formatted(const Expression& of) {
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
                const std::optional<std::string> text = text_of(value);
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

    static std::optional<std::string> text_of(const Value& value) {
        const bool is_integer = value.is(Kind::number) && value.number == std::trunc(value.number);
        return value.is(Kind::text) ? std::optional(value.text)
               : is_integer         ? std::optional(fmt::format("{:.0f}", value.number))
                                    : std::nullopt;
    }

    // A lambda as a function that returns its body.
    Value defined(const Expression& of) {
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
    Value comprehended(const Expression& of) {
        Value result = Value::of(std::vector<Value>());
        const std::shared_ptr<Scope> outer =
            std::exchange(state_.scope, std::make_shared<Scope>(Scope{{}, state_.scope}));
        const std::function<void(std::size_t)> go = [&](std::size_t clause) {
            if (clause >= of.operands.size()) {
                result.items.push_back(evaluate(of.operands[0]));
                return;
            }
            if (of.operands[clause].is(Expression::Kind::filter)) {
                if (truth_of(evaluate(of.operands[clause].operands[0])).value_or(true)) {
                    go(clause + 1);
                }
                return;
            }
            for (const Value& item : iterated(evaluate(of.operands[clause + 1]))) {
                if (!affords(item)) {
                    return;
                }
                assign(of.operands[clause], item);
                go(clause + 2);
            }
        };
        go(1);
        state_.scope = outer;
        if (of.text == "{") {
            Value all = Value::of(std::vector<Value>());
            all.kind = Kind::dictionary;
            for (const Value& pair : result.items) {
                all.items.insert(all.items.end(), pair.items.begin(), pair.items.end());
            }
            return all;
        }
        return result;
    }

    // The same, or nothing if there is no such part.
    std::optional<Selected> part_at(const Shape& shape, const Expression& index) {
        try {
            return part_of(shape, index);
        } catch (const Error&) {
            return std::nullopt;
        }
    }

    Value part(const Value& of, const Expression& index) {
        if (of.is(Kind::tensor)) {
            const std::size_t overwritten = flow_.overwritten.size();
            const std::optional<Selected> at = part_at(tensor_of(of).shape(), index);
            const bool is_overwritten = flow_.overwritten.size() > overwritten;
            return computed(is_overwritten ? "overwritten" : "select", {of}, [&]() -> std::optional<Tensor> {
                const Tensor& x = tensor_of(of);
                if (!at) {
                    return std::nullopt;
                }
                Tensor result(at->shape);
                for (std::size_t i = 0; i < at->offsets.size(); ++i) {
                    result.values()[i] = x.values()[at->offsets[i]];
                }
                return result;
            });
        }
        if (index.is(Expression::Kind::slice) && of.is(Kind::list)) {
            const auto at = part_at(Shape{of.items.size()}, index);
            std::vector<Value> items;
            for (const std::size_t i : at ? at->offsets : std::vector<std::size_t>()) {
                items.push_back(of.items[i]);
            }
            return Value::of(std::move(items));
        }
        const Value at = evaluate(index);
        Value whole = of.is(Kind::object) ? contents_of(of) : of;
        const Value* const item = item_at(whole, at);
        return item != nullptr ? *item : Value{};
    }

    Value operate(std::string_view sign, const Value& a, const Value& b) {
        if (a.is_number() && b.is_number()) {
            return arithmetic(sign, a, b);
        }
        if (sign == "in" || sign == "not in") {
            return contained(a, b, sign == "in");
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
        const bool is_numeric =
            (a.is(Kind::tensor) || a.is_number()) && (b.is(Kind::tensor) || b.is_number());
        if (is_numeric) {
            static const std::map<std::string_view, std::string> names{
                {"+", "add"}, {"-", "sub"}, {"*", "mul"}, {"/", "div"}, {"@", "matmul"}, {"**", "pow"}};
            const auto name = names.find(sign);
            return computed(name == names.end() ? "compare" : name->second, {a, b}, [&] {
                const Given both = given({a, b});
                return compute_operator(sign, both.tensor("", 0), both.tensor("", 1));
            });
        }
        if (sign == "*" && a.is(Kind::list) && b.is(Kind::number)) {
            constexpr double most = 10'000;
            const auto times = static_cast<std::size_t>(std::clamp(b.number, 0.0, most));
            std::vector<Value> items;
            const std::size_t copies = affords(a, times) ? times : 0;
            for (std::size_t i = 0; i < copies; ++i) {
                items.insert(items.end(), a.items.begin(), a.items.end());
            }
            return Value::of(std::move(items));
        }
        return {};
    }

    static Value arithmetic(std::string_view sign, const Value& x, const Value& y) {
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

    // The truth of a condition; empty if it is unknown.
    std::optional<bool> truth_of(const Value& value) const {
        const Computed* const node = value.is(Kind::tensor) ? &flow_.nodes[value.tensor->node] : nullptr;
        const bool is_open =
            value.is(Kind::unknown) || (node != nullptr && (!node->is_known || node->value.count() != 1));
        return is_open             ? std::nullopt
               : node != nullptr   ? std::optional(node->value.values()[0] != 0.0F)
               : value.is_number() ? std::optional(value.number != 0.0)
               : value.is(Kind::list) || value.is(Kind::dictionary) ? std::optional(!value.items.empty())
               : value.is(Kind::text)                               ? std::optional(!value.text.empty())
                                                                    : std::optional(!value.is(Kind::none));
    }

    // item in whole
    Value contained(const Value& item, const Value& whole, bool is_in) {
        if (item.is(Kind::unknown) || item.is(Kind::tensor) || whole.is(Kind::tensor) ||
            whole.is(Kind::unknown)) {
            return {};
        }
        const bool is_part = whole.is(Kind::text) && whole.text.find(item.text) != std::string::npos;
        const bool is_item = std::ranges::any_of(iterated(whole), [&](const Value& one) {
            return one.kind == item.kind && one.text == item.text && one.number == item.number;
        });
        return Value::truth((is_part || is_item) == is_in);
    }

    Value shape_value(std::size_t node) const {
        std::vector<Value> sizes;
        for (const std::size_t size : flow_.nodes[node].value.shape()) {
            sizes.push_back(Value::of(static_cast<double>(size)));
        }
        return Value::of(std::move(sizes));
    }

    Value attribute_of(const Value& of, const std::string& name) {
        if (of.is(Kind::library)) {
            return of_library(of.text + "." + name);
        }
        if (of.is(Kind::list) && of.items.size() == 2 && (name == "values" || name == "indices")) {
            return of.items[name == "values" ? 0 : 1];  // of max() and the like along an axis
        }
        if (of.is(Kind::tensor)) {
            return name == "shape"               ? shape_value(of.tensor->node)
                   : name == "T" || name == "mT" ? call_function("transpose", {of}, {})
                   : name == "data"              ? of
                   : name == "ndim"              ? Value::of(static_cast<double>(tensor_of(of).rank()))
                                                 : Value{};
        }
        if (of.is(Kind::object)) {
            const auto found = of.object->attributes.find(name);
            if (found != of.object->attributes.end()) {
                return found->second;
            }
            if (const Value* const member = member_of(*of.object, name)) {
                return bound(*member, of.object);
            }
        }
        const bool is_class =
            of.is(Kind::function) && definitions_[of.code].statement->kind == Statement::Kind::class_;
        const Value* const member = is_class ? member_of(of.code, name) : nullptr;
        return member != nullptr ? *member : Value{};
    }

    // A method of an object, or the value of its property.
    Value bound(Value member, const std::shared_ptr<Object>& object) {
        const std::string_view decorator =
            member.is(Kind::function) ? definitions_[member.code].decorator : "@staticmethod";
        if (decorator != "@staticmethod") {
            member.object = object;
        }
        return decorator == "@property" ? call_definition(member, {}, {}) : member;
    }

    // A method or variable of a class or its bases, or null.
    const Value* member_of(const Object& object, std::string_view name) const {
        return object.definition ? member_of(*object.definition, name) : nullptr;
    }

    const Value* member_of(std::size_t type, std::string_view name) const {
        std::set<std::size_t> seen;
        return find_member(type, name, seen);
    }

    // Looks into each class once; `seen` are those that it looked into.
    const Value* find_member(std::size_t type, std::string_view name, std::set<std::size_t>& seen) const {
        if (seen.size() > most_depth || !seen.insert(type).second) {
            return nullptr;
        }
        const Definition& of = definitions_[type];
        if (const auto found = of.scope->names.find(name); found != of.scope->names.end()) {
            return &found->second;
        }
        for (const std::size_t base : of.bases) {
            const bool is_class = definitions_[base].statement->kind == Statement::Kind::class_;
            const Value* const found = is_class ? find_member(base, name, seen) : nullptr;
            if (found != nullptr) {
                return found;
            }
        }
        return nullptr;
    }

    // ---- calls ------------------------------------------------------------------------------------------

    Value called(const Expression& of) {
        const Expression& function = of.operands[0];
        if ((function.is_name("print") || function.is_name("display")) && !globals_.contains(function.text)) {
            for (std::size_t i = 1; i < of.operands.size(); ++i) {
                if (i - 1 >= of.keywords.size() || of.keywords[i - 1].empty()) {
                    show(of.operands[i]);
                }
            }
            return Value::none();
        }
        std::vector<Value> values;
        std::vector<std::string> keywords;
        const auto collect_arguments = [&] {
            for (std::size_t i = 1; i < of.operands.size(); ++i) {
                const Expression& argument = of.operands[i];
                const std::string keyword(i - 1 < of.keywords.size() ? of.keywords[i - 1] : "");
                if (argument.is(Expression::Kind::starred)) {
                    const Value unpacked = affordable(evaluate(argument.operands[0]));
                    for (std::size_t k = 0; unpacked.is(Kind::dictionary) && argument.text == "**" &&
                                            k + 1 < unpacked.items.size();
                         k += 2) {
                        keywords.push_back(unpacked.items[k].text);
                        values.push_back(unpacked.items[k + 1]);
                    }
                    for (Value& item : argument.text == "*" ? iterated(unpacked) : std::vector<Value>()) {
                        values.push_back(std::move(item));
                        keywords.emplace_back();
                    }
                } else {
                    values.push_back(evaluate(argument));
                    keywords.push_back(keyword);
                }
            }
        };
        if (function.is(Expression::Kind::attribute)) {
            const std::string method(function.text);
            if (function.operands[0].called() == "super") {
                collect_arguments();
                return inherited(method, std::move(values), std::move(keywords));
            }
            Value object = evaluate(function.operands[0]);
            collect_arguments();
            if (object.is(Kind::library)) {
                return library_call(object.text + "." + method, std::move(values), std::move(keywords));
            }
            if (object.is(Kind::tensor) || object.is_number()) {
                values.insert(values.begin(), object);
                keywords.insert(keywords.begin(), "");
                Value result = tensor_method(method, std::move(values), std::move(keywords));
                if (method.ends_with('_') && function.operands[0].is(Expression::Kind::subscript)) {
                    assign_part(function.operands[0], result);  // x[i].fill_(value)
                }
                return result;
            }
            if (object.is(Kind::object)) {
                return object_method(object, method, std::move(values), std::move(keywords));
            }
            if (object.is(Kind::function)) {
                return call_value(attribute_of(object, method), std::move(values), std::move(keywords));
            }
            return other_method(object, function, method, values);
        }
        const Value callee = evaluate(function);
        collect_arguments();
        return call_value(callee, std::move(values), std::move(keywords));
    }

    Value call_value(const Value& callee, std::vector<Value> values, std::vector<std::string> keywords) {
        keywords.resize(values.size());
        if (callee.is(Kind::library)) {
            return library_call(callee.text, std::move(values), std::move(keywords));
        }
        if (callee.is(Kind::object)) {
            return object_method(callee, "__call__", std::move(values), std::move(keywords));
        }
        if (callee.is(Kind::function) && callee.text == "vmap") {
            return mapped(callee, values);
        }
        return callee.is(Kind::function) ? call_definition(callee, std::move(values), std::move(keywords))
                                         : Value{};
    }

    // vmap(f)(x, …): the results of f for each x[i], as one tensor.
    Value mapped(const Value& callee, const std::vector<Value>& values) {
        const Given options = given(callee.items, callee.names);
        const Value* const dims = options.find("in_dims", 1);
        std::vector<std::vector<Value>> columns;
        std::size_t count = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const bool has_own = dims != nullptr && i < dims->items.size();
            const Value dim = has_own ? dims->items[i] : dims != nullptr ? *dims : Value::of(0.0);
            const bool is_whole = dim.is(Kind::none) || !values[i].is(Kind::tensor);
            columns.push_back(is_whole ? std::vector<Value>() : unbound(values[i], dim));
            count = std::max(count, columns.back().size());
        }
        std::vector<Value> results;
        for (std::size_t i = 0; i < count; ++i) {
            std::vector<Value> row;
            for (std::size_t k = 0; k < values.size(); ++k) {
                row.push_back(i < columns[k].size() ? columns[k][i] : values[k]);
            }
            results.push_back(call_value(callee.items[0], std::move(row), {}));
        }
        return call_function("stack", {Value::of(std::move(results))}, {""});
    }

    // np.apply_along_axis(f, axis, x): the results of f for each row or column of a matrix.
    Value applied_along(const std::vector<Value>& values) {
        const Value across = Value::of(values[1].number == 0.0 ? 1.0 : 0.0);
        std::vector<Value> lines = unbound(values[2], across);
        for (Value& line : lines) {
            line = call_value(values[0], {line}, {});
        }
        return call_function("stack", {Value::of(std::move(lines)), across}, {});
    }

    // The parts of a tensor along an axis.
    std::vector<Value> unbound(const Value& x, const Value& dim) {
        const int axis = dim.is_number() ? static_cast<int>(dim.number) : 0;
        std::vector<Value> parts = split({x, Value::of(1.0), Value::of(axis)}, false).items;
        for (Value& part : parts) {
            part = call_function("squeeze", {part, Value::of(axis)}, {});
        }
        return parts;
    }

    // A method of a base class, for the object whose method runs.
    Value inherited(const std::string& method, std::vector<Value> values, std::vector<std::string> keywords) {
        for (const std::size_t base :
             state_.running_class ? definitions_[*state_.running_class].bases : Bases()) {
            const bool is_class = definitions_[base].statement->kind == Statement::Kind::class_;
            if (const Value* const found = is_class ? member_of(base, method) : nullptr) {
                return call_value(bound(*found, state_.self), std::move(values), std::move(keywords));
            }
        }
        return Value::none();
    }

    Value tensor_method(const std::string& method, std::vector<Value> values,
                        std::vector<std::string> keywords) {
        const Value& x = values[0];
        const std::optional<std::size_t> node = node_of(x);
        if (method == "item" && node && flow_.nodes[*node].value.count() == 1) {
            const Tensor& known = flow_.nodes[*node].value;
            return flow_.nodes[*node].is_known ? Value::of(static_cast<double>(known.values()[0]), node)
                                               : Value{};
        }
        if (!x.is(Kind::tensor)) {
            return {};
        }
        if (method == "size") {
            const Value sizes = shape_value(*node);
            const auto dim =
                values.size() > 1 && values[1].is_number() ? static_cast<int>(values[1].number) : 0;
            return values.size() < 2 ? sizes
                                     : Value::of(static_cast<double>(flow_.nodes[*node].value.size(dim)));
        }
        if (method == "where" && values.size() == 3) {  // x.where(condition, other)
            std::swap(values[0], values[1]);
            return call_function(method, std::move(values), std::move(keywords));
        }
        if (method == "tolist") {
            return x;
        }
        if (method == "dim") {
            return Value::of(static_cast<double>(flow_.nodes[*node].value.rank()));
        }
        if (method == "numel") {
            return Value::of(static_cast<double>(flow_.nodes[*node].value.count()));
        }
        if (method == "split" || method == "chunk") {
            return split(values, method == "chunk");
        }
        if (method == "unbind") {
            const Value* const dim = given(values, keywords).find("dim", 1);
            return Value::of(unbound(x, dim != nullptr ? *dim : Value::of(0.0)));
        }
        if (method == "max" || method == "min") {
            return extreme(method, std::move(values), std::move(keywords));
        }
        const bool in_place = method.back() == '_' && method.size() > 1 && method != "requires_grad_";
        if (in_place) {
            if (const std::optional<Value> value =
                    draw_from(torch_, method, false, given(values, keywords))) {
                return *value;
            }
        }
        const Value target = x;
        if (method == "copy_" && values.size() > 1 && values[1].is(Kind::tensor)) {
            copy(target, values[1]);
            return target;
        }
        const Value result = call_function(method, std::move(values), std::move(keywords));
        if (in_place && result.is(Kind::tensor)) {
            target.tensor->node = result.tensor->node;
            return target;
        }
        if (in_place) {
            forget(target);
        }
        return result;
    }

    // max with an axis returns values and their places, except in NumPy.
    Value extreme(const std::string& method, std::vector<Value> values, std::vector<std::string> keywords) {
        const bool has_axis = values.size() > 1;
        const Value best = call_function(method, values, keywords);
        const bool is_numpy = !has_torch_ || std::ranges::find(keywords, "axis") != keywords.end();
        if (!has_axis || is_numpy) {
            return best;
        }
        return Value::of({best, call_function("arg" + method, std::move(values), std::move(keywords))});
    }

    Value split(const std::vector<Value>& values, bool into_chunks) {
        const Given of = given(values);
        try {
            const Tensor x = of.tensor("", 0);
            const int dim = of.integer("dim", 2).value_or(0);
            const auto size = static_cast<std::int64_t>(x.size(dim));
            auto step = static_cast<std::int64_t>(of.number("", 1, 1.0));
            step = into_chunks ? (size + step - 1) / step : step;
            std::vector<Value> parts;
            for (std::int64_t from = 0; step > 0 && from < size; from += step) {
                parts.push_back(
                    computed("select", {values[0]}, [&] { return slice(x, dim, from, from + step); }));
            }
            return Value::of(std::move(parts));
        } catch (const Error&) {
            return {};
        }
    }

    Value call_function(std::string name, std::vector<Value> values, std::vector<std::string> keywords) {
        if ((name == "to" || name == "type" || name == "astype") && values.size() > 1) {
            name = precision_of(values[1], std::move(name));
        }
        if ((name == "half" || name == "bfloat16") && !values.empty() && values[0].is(Kind::tensor)) {
            return rounded(values[0].tensor->node, name);
        }
        if (usual_name(name) == "clone" && !values.empty() && values[0].is(Kind::tensor)) {
            const std::size_t node = values[0].tensor->node;  // a tensor of its own, with the same numbers
            if (name == "Parameter" &&
                flow_.nodes[node].operation == "Linear") {  // (d_out, d_in), unlike x @ W
                return tensor(record(name, {node}, flow_.nodes[node].value));
            }
            return name == "requires_grad_" ? values[0] : tensor(node);
        }
        const Given of = given(values, std::move(keywords));
        return computed(std::string(usual_name(name)), values, [&] { return compute(name, of); });
    }

    // The method that converts to this type, if it has fewer digits than float32.
    static std::string precision_of(const Value& type, std::string otherwise) {
        const std::string_view path = type.is(Kind::library) ? std::string_view(type.text) : "";
        return path.ends_with("bfloat16")                             ? "bfloat16"
               : path.ends_with("float16") || path.ends_with(".half") ? "half"
                                                                      : std::move(otherwise);
    }

    // A tensor in a type with fewer digits: the same numbers, but only up to the rounding of this type.
    Value rounded(std::size_t node, const std::string& type) {
        const double unit = type == "half" ? 0x1p-11 : 0x1p-8;
        double most = 0.0;
        for (const float x : flow_.nodes[node].value.values()) {
            most = std::isfinite(x) ? std::max(most, static_cast<double>(std::abs(x))) : most;
        }
        const std::size_t result = record(type, {node}, flow_.nodes[node].value);
        flow_.nodes[result].slack = std::max(flow_.nodes[result].slack, unit * most);
        return tensor(result);
    }

    Value library_call(const std::string& path, std::vector<Value> values,
                       std::vector<std::string> keywords) {
        const std::string name = path.substr(path.rfind('.') + 1);
        const Given arguments = given(values, keywords);
        try {
            if (const std::optional<Value> value = random_call(name, path, arguments)) {
                return *value;
            }
            if (path.find("nn.") != std::string::npos ||
                std::isupper(static_cast<unsigned char>(name[0])) != 0) {
                if (std::optional<Value> layer = construct_layer(name, arguments)) {
                    return *layer;
                }
            }
            if (std::optional<Value> value = builtin(name, path, values, keywords)) {
                return affordable(*std::move(value));
            }
            static const std::map<std::string_view, std::pair<std::string, std::vector<Value>>> fills{
                {"zeros_", {"zero_", {}}},
                {"ones_", {"fill_", {Value::of(1.0)}}},
                {"constant_", {"fill_", {}}}};
            if (const auto fill = fills.find(name);
                fill != fills.end() && !values.empty() && values[0].is(Kind::tensor)) {
                const auto& [method, more] = fill->second;
                values.insert(values.end(), more.begin(), more.end());
                return tensor_method(method, values, std::vector<std::string>(values.size()));
            }
            if ((name == "triu_indices" || name == "tril_indices") && path.starts_with("numpy")) {
                const Value all = call_function("ones", {values.at(0), values.at(0)}, {});  // as a mask
                const Value* const k = arguments.find("k", 1);
                return call_function(name.substr(0, 4), {all, k != nullptr ? *k : Value::of(0.0)}, {});
            }
            if (name == "vmap") {
                return {.kind = Kind::function, .text = name, .items = values, .names = keywords};
            }
            if (name == "apply_along_axis" && values.size() == 3) {
                return applied_along(values);
            }
            static const std::set<std::string_view> methods{"unbind", "max", "min", "split", "chunk"};
            if (methods.contains(name) && !values.empty() && values[0].is(Kind::tensor)) {
                return tensor_method(name, std::move(values), std::move(keywords));
            }
            if (name == "dropout" && !values.empty() && values[0].is(Kind::tensor)) {
                const bool trains = arguments.number("training", 2, 1.0) != 0.0 &&
                                    arguments.number("train", 1000, 1.0) != 0.0;
                const Value result = trains ? drop(values[0], arguments.number("p", 1, 0.5)) : values[0];
                if (result.is(Kind::tensor) && result.tensor != values[0].tensor && state_.self &&
                    !state_.self->is_training) {
                    flow_.dropped_in_eval.insert(result.tensor->node);
                }
                return result;
            }
            if (name == "allclose" || name == "equal") {
                return {};
            }
            static const std::map<std::string_view, double (*)(double)> of_numbers{
                {"sqrt", [](double x) { return std::sqrt(x); }},
                {"exp", [](double x) { return std::exp(x); }},
                {"log", [](double x) { return std::log(x); }},
                {"log2", [](double x) { return std::log2(x); }}};
            if (const auto function = of_numbers.find(name);
                function != of_numbers.end() && values.size() == 1 && values[0].is(Kind::number)) {
                return Value::of(function->second(values[0].number), values[0].node);
            }
        } catch (const Error&) {
            return {};
        }
        return call_function(name, std::move(values), std::move(keywords));
    }

    // The functions that seed, draw, or make a generator.
    std::optional<Value> random_call(const std::string& name, const std::string& path,
                                     const Given& arguments) {
        const bool is_numpy = path.starts_with("numpy") || path.starts_with("np.");
        if (!is_numpy && path.starts_with("random.")) {
            return Value{};  // Python's own
        }
        if (name == "Generator" || name == "RandomState" || name == "default_rng") {
            Value made{.kind = Kind::object, .object = make_object(name, {})};
            constexpr double unseeded = 67280421310721.0;  // the seed of a new torch.Generator()
            made.object->stream = std::make_shared<Stream>();
            Stream& stream = *made.object->stream;
            seed(stream, name == "Generator" ? unseeded : arguments.number("seed", 0, -1.0));
            if (name == "default_rng" && stream.generator) {  // which is another algorithm
                stream.pcg64.emplace(stream.generator->seed());
                stream.generator.reset();
            }
            return made;
        }
        if (name == "manual_seed" || (name == "seed" && is_numpy)) {
            if (path.find("cuda") == std::string::npos) {
                seed(is_numpy ? numpy_ : torch_, arguments.number("seed", 0, -1.0));
            }
            return Value::none();
        }
        if (name == "seed_everything") {
            seed(numpy_, arguments.number("seed", 0, -1.0));
            seed(torch_, arguments.number("seed", 0, -1.0));
            return Value::none();
        }
        const Value* const own = arguments.find("generator", 1000);
        const bool has_own = own != nullptr && own->is(Kind::object) && own->object->stream != nullptr;
        return draw_from(has_own    ? *own->object->stream
                         : is_numpy ? numpy_
                                    : torch_,
                         name, is_numpy, arguments);
    }

    void seed(Stream& stream, double number) const {
        stream = {};
        if (number >= 0.0 && statement_ != nullptr) {
            stream = {.generator = Generator(static_cast<std::uint64_t>(number)),
                      .seeded = place_of(*statement_)};
        }
    }

    std::optional<Value> draw_from(Stream& stream, const std::string& name, bool is_numpy,
                                   const Given& arguments) {
        try {
            std::optional<Draw> draw = draw_of(name, is_numpy, arguments);
            if (draw && name.ends_with('_') && !arguments.values.empty()) {
                const Value target = arguments.values[0];
                const std::string& of = flow_.nodes.at(*node_of(target)).operation;
                draw->operation = of == "Linear" ? of : draw->operation;  // its shape is (d_out, d_in)
                const Value made = drawn(*draw, stream);
                target.tensor->node = made.tensor->node;
                return target;
            }
            if (draw) {
                return drawn(*draw, stream);
            }
        } catch (const Error&) {
            stream.forget();
            return Value{};
        }
        if (draws_unknown(name)) {
            stream.forget();
        }
        return std::nullopt;
    }

    Value drop(const Value& x, double p) {
        if (p == 0.0) {
            return x;
        }
        const std::size_t node = x.tensor->node;
        const Shape shape = flow_.nodes[node].value.shape();
        const auto numbers = [&](Stream& of) { return keep_mask(*of.generator, shape, p, options_.rng); };
        const Value keep = drawn({"dropout-mask", shape, numbers}, torch_);
        return computed("dropout", {x, keep},
                        [&] { return dropout(flow_.nodes[node].value, tensor_of(keep), p); });
    }

    // ---- modules ----------------------------------------------------------------------------------------

    std::shared_ptr<Object> make_object(std::string type, std::optional<std::size_t> definition) {
        auto object = std::make_shared<Object>(Object{std::move(type), definition});
        object->module = flow_.modules.size();
        Module module{.type = object->type};
        if (statement_ != nullptr) {
            module.place = place_of(*statement_);
        }
        flow_.modules.push_back(std::move(module));
        objects_.emplace_back(object, 0);
        return object;
    }

    std::optional<Value> construct_layer(const std::string& name, const Given& arguments) {
        const auto layer = [&](const std::string& type) {
            return Value{.kind = Kind::object, .object = make_object(type, {})};
        };
        if (name == "Linear" || name == "Embedding") {
            Value made = layer(name);
            const auto in = static_cast<std::size_t>(
                arguments.number(name == "Linear" ? "in_features" : "num_embeddings", 0, 0.0));
            const auto out = static_cast<std::size_t>(
                arguments.number(name == "Linear" ? "out_features" : "embedding_dim", 1, 0.0));
            if (name == "Embedding") {
                const auto numbers = [&](Stream& of) { return randn(*of.generator, {in, out}); };
                made.object->attributes["weight"] = drawn({"Embedding", {in, out}, numbers}, torch_);
                return made;
            }
            made.object->attributes["in_features"] = Value::of(static_cast<double>(in));
            made.object->attributes["out_features"] = Value::of(static_cast<double>(out));
            const bool bias = arguments.number("bias", 2, 1.0) != 0.0;
            const float bound = Linear::bound(in);
            const auto draw = [&](const Shape& shape) {
                const auto numbers = [&](Stream& of) { return uniform(*of.generator, shape, -bound, bound); };
                return drawn({"Linear", shape, numbers}, torch_);
            };
            made.object->attributes["weight"] = draw({out, in});
            if (bias) {
                made.object->attributes["bias"] = draw({out});
            }
            return made;
        }
        if (name == "MultiheadAttention") {  // torch/nn/modules/activation.py
            Value made = layer(name);
            const double width = arguments.number("embed_dim", 0, 0.0);
            const double bias = arguments.number("bias", 3, 1.0);
            made.object->attributes["out_proj"] =
                construct_layer("Linear", given({Value::of(width), Value::of(width), Value::of(bias)}))
                    .value();
            const Value weights = call_function("zeros", {Value::of(3.0 * width), Value::of(width)}, {});
            draw_from(torch_, "xavier_uniform_", false, given({weights}));
            made.object->attributes["in_proj_weight"] = weights;
            return made;
        }
        if (name == "Dropout") {
            Value made = layer(name);
            made.object->attributes["p"] = Value::of(arguments.number("p", 0, 0.5));
            return made;
        }
        if (name == "ModuleList" || name == "Sequential" || name == "ParameterList" || name == "ModuleDict" ||
            name == "ParameterDict") {
            Value made = layer(name);
            const Value* const given = arguments.find("modules", 0);
            Value& contents = made.object->attributes[""] = Value::of(std::vector<Value>());
            if (name.ends_with("Dict")) {
                contents.kind = Kind::dictionary;
                add_pairs(*made.object, given != nullptr ? *given : Value{});
                return made;
            }
            const bool is_list = given != nullptr && given->is(Kind::list);
            double index = 0.0;
            for (const Value& module : is_list ? given->items : arguments.values) {
                put(*made.object, Value::of(index++), module);
            }
            return made;
        }
        if (name == "LayerNorm") {
            Value made = layer(name);
            const Value* const sizes = arguments.find("normalized_shape", 0);
            const bool is_list = sizes != nullptr && sizes->is(Kind::list) && sizes->items.size() == 1;
            const double width = is_list ? sizes->items[0].number : arguments.number("", 0, 0.0);
            const Shape shape{static_cast<std::size_t>(width)};
            made.object->attributes["weight"] = tensor(record("ones", {}, full(shape, 1.0F)));
            made.object->attributes["bias"] = tensor(record("zeros", {}, full(shape, 0.0F)));
            made.object->attributes["eps"] = Value::of(arguments.number("eps", 1, 1e-5));
            return made;
        }
        if (name == "Softmax") {
            Value made = layer(name);
            made.object->attributes["dim"] = Value::of(arguments.number("dim", 0, -1.0));
            return made;
        }
        return std::nullopt;
    }

    Value object_method(const Value& object, const std::string& method, std::vector<Value> values,
                        std::vector<std::string> keywords) {
        Object& self = *object.object;
        if (self.stream != nullptr) {
            const Given arguments = given(values, keywords);
            if (method == "manual_seed" || method == "seed") {
                seed(*self.stream, arguments.number("seed", 0, -1.0));
                return object;
            }
            return draw_from(*self.stream, method, true, arguments).value_or(Value{});
        }
        const auto attribute = self.attributes.find(method);
        if (attribute != self.attributes.end()) {
            return call_value(attribute->second, std::move(values), std::move(keywords));
        }
        if (method == "train" || method == "eval") {
            train(object, method == "train" && (values.empty() || values[0].number != 0.0));
            return object;
        }
        if (method == "to" || method == "float" || method == "cpu" || method == "cuda" ||
            method == "requires_grad_") {
            return object;
        }
        if (method == "register_buffer" && values.size() > 1) {
            self.attributes[values[0].text] = values[1];
            name_node(values[1], values[0].text);
            return Value::none();
        }
        if (self.attributes.contains("")) {
            if (method == "append" && values.size() == 1) {
                put(self, Value::of(static_cast<double>(contents_of(object).items.size())), values[0]);
                return object;
            }
            if (method == "update" && values.size() == 1) {
                add_pairs(self, values[0]);
                return Value::none();
            }
            if (method == "items" || method == "keys" || method == "values") {
                return of_dictionary(contents_of(object), method);
            }
        }
        if (method == "parameters" || method == "state_dict" || method == "named_parameters") {
            return all_tensors(self, method);
        }
        if (method == "children" || method == "modules") {
            return Value::of(method == "modules" ? modules_of(object, false) : children_of(self));
        }
        if (method == "apply" && values.size() == 1) {
            for (const Value& module : modules_of(object, true)) {
                call_value(values[0], {module}, {});
            }
            return object;
        }
        if (method == "load_state_dict" && !values.empty()) {
            load(self, values[0]);
            return Value::none();
        }
        const bool is_call = method == "__call__" || method == "forward";
        if (is_call && !self.definition) {
            return call_layer(object, values);
        }
        const Value* member = member_of(self, method);
        if (member == nullptr && is_call) {
            member = member_of(self, method == "forward" ? "__call__" : "forward");
        }
        if (member == nullptr) {
            return {};
        }
        if (is_call) {
            collect_inputs(self, values);
        }
        Value result = call_value(bound(*member, object.object), std::move(values), std::move(keywords));
        if (is_call && result.is(Kind::tensor)) {
            flow_.modules[self.module].result = result.tensor->node;
        }
        return result;
    }

    void collect_inputs(const Object& self, const std::vector<Value>& values) {
        for (const Value& value : values) {
            auto& inputs = flow_.modules[self.module].inputs;
            if (value.is(Kind::tensor) && std::ranges::find(inputs, value.tensor->node) == inputs.end()) {
                inputs.push_back(value.tensor->node);
            }
        }
    }

    void train(const Value& value, bool is_training) {
        if (value.object != nullptr && value.is(Kind::object)) {
            value.object->is_training = is_training;
            for (const auto& [name, attribute] : value.object->attributes) {
                train(attribute, is_training);
            }
        }
        for (const Value& item : value.items) {
            train(item, is_training);
        }
    }

    // parameters(), named_parameters() or state_dict(), in the order in which PyTorch lists them; the order
    // matters only for pairing with an output.
    static Value all_tensors(const Object& self, std::string_view method) {
        Value all = Value::of(std::vector<Value>());
        all.kind = method == "state_dict" ? Kind::dictionary : Kind::list;
        for (const auto& [name, value] : named_tensors(self)) {
            if (method == "named_parameters") {
                all.items.push_back(Value::of({Value::of(name), value}));
                continue;
            }
            if (method == "state_dict") {
                all.items.push_back(Value::of(name));
            }
            all.items.push_back(value);
        }
        return all;
    }

    static std::vector<std::pair<std::string, Value>> named_tensors(const Object& self) {
        std::vector<std::pair<std::string, Value>> all;
        Visits visits;
        const std::function<void(const Object&, const std::string&)> add = [&](const Object& of,
                                                                               const std::string& prefix) {
            for (const auto& [name, value] : of.attributes) {
                if (value.is(Kind::tensor)) {
                    all.emplace_back(prefix + name, value);
                } else if (value.is(Kind::object) && all.size() < 1000 && visits.begin(*value.object)) {
                    add(*value.object, prefix + name + ".");
                }
            }
        };
        add(self, "");
        std::ranges::stable_sort(all, {}, [](const auto& one) { return one.second.tensor->node; });
        return all;
    }

    // Copies the tensors of a state_dict to those of the same names.
    void load(const Object& self, const Value& state) {
        Value of = state;
        for (const auto& [name, value] : named_tensors(self)) {
            const Value* const loaded = item_at(of, Value::of(name));
            if (loaded != nullptr && loaded->is(Kind::tensor)) {
                copy(value, *loaded);
            } else if (!state.is(Kind::dictionary)) {
                forget(value);
            }
        }
    }

    // target.copy_(source): the target is the source from now on, in the shape of the target.
    void copy(const Value& target, const Value& source) {
        const Tensor& from = tensor_of(source);
        if (from.shape() == tensor_of(target).shape()) {
            target.tensor->node = source.tensor->node;
            return;
        }
        const Value result = call_function("copy_", {target, source}, {});
        if (result.is(Kind::tensor)) {
            target.tensor->node = result.tensor->node;
        } else {
            forget(target);
        }
    }

    // Adds the modules of a dictionary, or of pairs of names and modules.
    void add_pairs(Object& self, const Value& pairs) {
        const Value dictionary = pairs.is(Kind::dictionary) ? of_dictionary(pairs, "items") : pairs;
        for (const Value& pair : iterated(dictionary)) {
            if (pair.items.size() == 2) {
                put(self, pair.items[0], pair.items[1]);
            }
        }
    }

    // The items, keys or values of a dictionary.
    static Value of_dictionary(const Value& of, std::string_view method) {
        std::vector<Value> items;
        for (std::size_t i = 0; i + 1 < of.items.size(); i += 2) {
            items.push_back(method == "items"    ? Value::of({of.items[i], of.items[i + 1]})
                            : method == "values" ? of.items[i + 1]
                                                 : of.items[i]);
        }
        return Value::of(std::move(items));
    }

    Value call_layer(const Value& layer, const std::vector<Value>& values) {
        const Object& self = *layer.object;
        if (values.empty() || !values[0].is(Kind::tensor)) {
            return {};
        }
        if (self.type == "Sequential") {
            if (!spend(1) || depth_ >= most_depth) {  // it may contain itself
                return {};
            }
            ++depth_;
            Value x = values[0];
            for (const Value& one : iterated(layer)) {
                x = one.is(Kind::object) ? object_method(one, "__call__", {x}, {""}) : Value{};
            }
            --depth_;
            return x;
        }
        if (self.type == "Dropout") {
            return self.is_training ? drop(values[0], self.attributes.at("p").number) : values[0];
        }
        if (self.type == "Softmax") {
            return call_function("softmax", {values[0], self.attributes.at("dim")}, {"", "dim"});
        }
        collect_inputs(self, values);
        if (self.type == "LayerNorm") {
            return call_function("layer_norm",
                                 {values[0], Value::none(), self.attributes.at("weight"),
                                  self.attributes.at("bias"), self.attributes.at("eps")},
                                 {});
        }
        const auto weight = self.attributes.find("weight");
        if (weight == self.attributes.end()) {
            return {};
        }
        if (self.type == "Linear") {
            std::vector<Value> operands{values[0], weight->second};
            const auto bias = self.attributes.find("bias");
            if (bias != self.attributes.end()) {
                operands.push_back(bias->second);
            }
            const Given of = given(operands);
            return computed("linear", operands, [&] { return compute("linear", of); });
        }
        return computed("embedding", {weight->second, values[0]}, [&]() -> std::optional<Tensor> {
            const Tensor& ids = tensor_of(values[0]);
            std::vector<std::size_t> chosen;
            for (const float id : ids.values()) {
                chosen.push_back(static_cast<std::size_t>(std::max(id, 0.0F)));
            }
            const Tensor& rows = tensor_of(weight->second);
            const Selected at =
                selected(rows.shape(), {{.kind = IndexPart::Kind::chosen, .chosen = std::move(chosen)}});
            std::vector<std::size_t> sizes(ids.shape().begin(), ids.shape().end());
            sizes.push_back(rows.size(-1));
            Tensor result((Shape(sizes)));
            for (std::size_t i = 0; i < at.offsets.size(); ++i) {
                result.values()[i] = rows.values()[at.offsets[i]];
            }
            return result;
        });
    }

    Value call_definition(const Value& function, std::vector<Value> values,
                          std::vector<std::string> keywords) {
        const Definition definition = definitions_[function.code];
        const Statement& code = *definition.statement;
        if (code.kind == Statement::Kind::class_) {
            return construct(function.code, std::move(values), std::move(keywords));
        }
        if (depth_ >= most_depth) {
            return {};
        }
        Names names;
        std::size_t positional = 0;
        std::size_t skipped = 0;
        if (function.object != nullptr && !code.parameters.empty()) {
            names[std::string(code.parameters[0].name)] = {.kind = Kind::object, .object = function.object};
            skipped = 1;
        }
        std::vector<bool> used(values.size());
        for (std::size_t i = skipped; i < code.parameters.size(); ++i) {
            const std::string name(code.parameters[i].name);
            if (name.starts_with("*")) {
                const bool by_keyword = name.starts_with("**");
                Value rest = Value::of(std::vector<Value>());
                rest.kind = by_keyword ? Kind::dictionary : Kind::list;
                for (std::size_t k = 0; k < values.size(); ++k) {
                    if (!used[k] && keywords[k].empty() != by_keyword) {
                        if (by_keyword) {
                            rest.items.push_back(Value::of(keywords[k]));
                        }
                        rest.items.push_back(values[k]);
                        used[k] = true;
                    }
                }
                names[name.substr(by_keyword ? 2 : 1)] = std::move(rest);
                continue;
            }
            std::optional<Value> value;
            for (std::size_t k = 0; k < values.size() && !value; ++k) {
                if (!used[k] && (keywords[k].empty() ? positional == i - skipped : keywords[k] == name)) {
                    value = values[k];
                    used[k] = true;
                    positional += keywords[k].empty() ? 1 : 0;
                }
            }
            names[name] = value                      ? *value
                          : code.parameters[i].value ? evaluate(*code.parameters[i].value)
                                                     : Value{};
        }
        const std::size_t item = std::exchange(item_, definition.item);
        const Statement* const statement = statement_;
        State state = std::exchange(
            state_, {.scope = std::make_shared<Scope>(Scope{std::move(names), definition.scope}),
                     .self = function.object,
                     .running_class = definition.owner});
        ++depth_;
        execute_all(code.body);
        --depth_;
        Value result = state_.returned ? *state_.returned : Value::none();
        state_ = std::move(state);
        statement_ = statement;
        item_ = item;
        return result;
    }

    Value construct(std::size_t type, std::vector<Value> values, std::vector<std::string> keywords) {
        const Definition definition = definitions_[type];
        Value object{.kind = Kind::object,
                     .object = make_object(std::string(definition.statement->text), type)};
        const std::size_t module = object.object->module;
        const Value* const init = member_of(type, "__init__");
        std::vector<std::string> names;  // of the arguments
        if (init != nullptr) {
            const auto& parameters = definitions_[init->code].statement->parameters;
            for (std::size_t i = 1; i < parameters.size(); ++i) {  // after self
                names.emplace_back(parameters[i].name);
            }
        } else {  // the fields of a data class
            for (const Statement& field : definition.statement->body) {
                const bool is_field = field.kind == Statement::Kind::assignment || field.text.empty();
                names.emplace_back(is_field ? field.source.substr(0, field.source.find_first_of(" :=")) : "");
            }
            std::erase(names, "");
        }
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::string name = !keywords[i].empty() ? keywords[i] : i < names.size() ? names[i] : "";
            if (values[i].is_number()) {
                flow_.modules[module].numbers[name] = values[i].number;
            }
            if (init == nullptr) {
                object.object->attributes[name] = values[i];
            }
        }
        if (init != nullptr) {
            call_definition(bound(*init, object.object), std::move(values), std::move(keywords));
        }
        return object;
    }

    void describe(const Object& object) {
        Module& module = flow_.modules[object.module];
        Visits visits;
        const std::function<void(const Object&, const std::string&)> add = [&](const Object& of,
                                                                               const std::string& prefix) {
            for (const auto& [name, value] : of.attributes) {
                if (value.is(Kind::tensor)) {
                    module.tensors[prefix + name] = value.tensor->node;
                } else if (value.is_number()) {
                    module.numbers.emplace(prefix + name, value.number);
                } else if (value.is(Kind::object) && prefix.size() < 100 && visits.begin(*value.object)) {
                    add(*value.object, prefix + name + ".");
                }
            }
        };
        add(object, "");
    }

    // ---- Python's own functions -------------------------------------------------------------------------

    std::optional<Value> builtin(const std::string& name, const std::string& path,
                                 const std::vector<Value>& values, const std::vector<std::string>& keywords) {
        if (path == "dict.fromkeys" && !values.empty()) {
            Value result = Value::of(std::vector<Value>());
            result.kind = Kind::dictionary;
            for (const Value& key : iterated(values[0])) {
                if (item_at(result, key) == nullptr) {
                    result.items.insert(result.items.end(),
                                        {key, values.size() > 1 ? values[1] : Value::none()});
                }
            }
            return result;
        }
        if (path != name && name != "tqdm" && name != "trange") {
            return std::nullopt;
        }
        const Value first = values.empty() ? Value{} : values[0];
        if (name == "len") {
            const Value first = values.empty()               ? Value{}
                                : values[0].is(Kind::object) ? contents_of(values[0])
                                                             : values[0];
            return first.is(Kind::tensor) && tensor_of(first).rank() > 0
                       ? Value::of(static_cast<double>(tensor_of(first).size(0)))
                   : first.is(Kind::text)       ? Value::of(static_cast<double>(first.text.size()))
                   : first.is(Kind::dictionary) ? Value::of(static_cast<double>(first.items.size() / 2))
                   : first.is(Kind::list)       ? Value::of(static_cast<double>(first.items.size()))
                                                : Value{};
        }
        if (name == "range" || name == "trange") {
            std::vector<Value> items;
            const double from = values.size() > 1 ? first.number : 0.0;
            const double to = values.size() > 1 ? values[1].number : first.number;
            const double step = values.size() > 2 ? values[2].number : 1.0;
            for (double i = from; step != 0.0 && (step > 0 ? i < to : i > to) && items.size() < 100'000;
                 i += step) {
                items.push_back(Value::of(i));
            }
            return Value::of(std::move(items));
        }
        if (name == "enumerate" || name == "zip") {
            std::vector<std::vector<Value>> lists;
            for (const Value& value : values) {
                lists.push_back(iterated(value));
            }
            const double start = name == "enumerate" && values.size() > 1 ? values[1].number : 0.0;
            std::size_t count = lists.empty() ? 0 : lists[0].size();
            for (const auto& list : lists) {
                count = name == "zip" ? std::min(count, list.size()) : lists[0].size();
            }
            std::vector<Value> items;
            for (std::size_t i = 0; i < count; ++i) {
                std::vector<Value> row;
                if (name == "enumerate") {
                    row = {Value::of(start + static_cast<double>(i)), lists[0][i]};
                } else {
                    for (const auto& list : lists) {
                        row.push_back(list[i]);
                    }
                }
                items.push_back(Value::of(std::move(row)));
            }
            return Value::of(std::move(items));
        }
        if (name == "float" || name == "int") {
            if (first.is(Kind::text) && (first.text == "inf" || first.text == "-inf")) {
                return Value::of(first.text == "inf" ? HUGE_VAL : -HUGE_VAL);
            }
            const auto node = node_of(first);
            if (first.is(Kind::tensor) && flow_.nodes[*node].value.count() == 1 &&
                flow_.nodes[*node].is_known) {
                const auto x = static_cast<double>(flow_.nodes[*node].value.values()[0]);
                return Value::of(name == "int" ? std::trunc(x) : x, node);
            }
            return first.is_number()
                       ? Value::of(name == "int" ? std::trunc(first.number) : first.number, first.node)
                       : Value{};
        }
        if (name == "dict") {
            Value result = Value::of(std::vector<Value>());
            result.kind = Kind::dictionary;
            for (std::size_t i = 0; i < values.size(); ++i) {
                if (!keywords[i].empty()) {
                    result.items.insert(result.items.end(), {Value::of(keywords[i]), values[i]});
                    continue;
                }
                const bool is_dictionary = values[i].is(Kind::dictionary);
                for (const Value& pair :
                     iterated(is_dictionary ? of_dictionary(values[i], "items") : values[i])) {
                    result.items.insert(result.items.end(), pair.items.begin(), pair.items.end());
                }
            }
            return result;
        }
        if (name == "list" || name == "tuple" || name == "tqdm") {
            return Value::of(iterated(first));
        }
        if (name == "set" || name == "sorted") {
            std::vector<Value> items = iterated(first);
            const auto key = [](const Value& value) { return std::pair(value.text, value.number); };
            std::ranges::stable_sort(items, {}, key);
            if (name == "set") {
                const auto same = [&](const Value& a, const Value& b) { return key(a) == key(b); };
                items.erase(std::unique(items.begin(), items.end(), same), items.end());
            }
            return Value::of(std::move(items));
        }
        if (name == "sum") {
            Value result = Value::of(0.0);
            for (const Value& item : iterated(first)) {
                result = operate("+", result, item);
            }
            return result;
        }
        if (name == "str" && values.size() == 1) {
            const std::optional<std::string> text = text_of(first);
            return text ? Value::of(*text) : Value{};
        }
        if (name == "getattr" && values.size() > 1) {
            return attribute_of(first, values[1].text);
        }
        if (name == "isinstance" && values.size() == 2) {
            return is_of_type(first, values[1]);
        }
        if (name == "setattr" && values.size() == 3 && first.object != nullptr) {
            first.object->attributes[values[1].text] = values[2];
            name_node(values[2], values[1].text);
            return Value::none();
        }
        if (name == "map" && values.size() == 2) {
            std::vector<Value> items;
            for (const Value& item : iterated(values[1])) {
                items.push_back(call_value(first, {item}, {}));
            }
            return Value::of(std::move(items));
        }
        if ((name == "max" || name == "min") && !first.is(Kind::tensor)) {
            std::vector<Value> items = values.size() == 1 ? iterated(first) : values;
            const auto number_of = [this](const Value& value) {
                const bool is_known = value.is(Kind::tensor) && flow_.nodes[value.tensor->node].is_known &&
                                      tensor_of(value).count() == 1;
                return is_known            ? static_cast<double>(tensor_of(value).values()[0])
                       : value.is_number() ? value.number
                                           : static_cast<double>(NAN);
            };
            std::ranges::stable_sort(items, std::less<>(), number_of);
            const bool is_known =
                std::ranges::none_of(items, [&](const Value& value) { return std::isnan(number_of(value)); });
            return !is_known || items.empty() ? Value{} : name == "max" ? items.back() : items.front();
        }
        if (name == "round" && first.is(Kind::number)) {
            const double unit = std::pow(10.0, values.size() > 1 ? values[1].number : 0.0);
            return Value::of(std::nearbyint(first.number * unit) / unit, first.node);
        }
        if (name == "reversed") {
            std::vector<Value> items = iterated(first);
            std::ranges::reverse(items);
            return Value::of(std::move(items));
        }
        if (name == "repr" || name == "type" || name == "open" || name == "input") {
            return Value{};
        }
        return std::nullopt;
    }

    // isinstance() for modules and tensors.
    Value is_of_type(const Value& value, const Value& type) const {
        const std::string name = type.text.substr(type.text.rfind('.') + 1);
        const bool is_module = value.is(Kind::object) && !value.object->definition;
        return type.is(Kind::library) && (is_module || name == "Tensor")
                   ? Value::truth(is_module ? value.object->type == name : value.is(Kind::tensor))
                   : Value{};
    }

    // The modules among the attributes of a module, in the order in which they were made.
    static std::vector<Value> children_of(const Object& self) {
        std::vector<Value> children;
        for (const auto& [name, value] : self.attributes) {
            if (value.is(Kind::object)) {
                children.push_back(value);
            }
        }
        std::ranges::sort(children, {}, [](const Value& child) { return child.object->module; });
        return children;
    }

    // A module and all modules in it.
    static std::vector<Value> modules_of(const Value& module, bool inner_first) {
        std::vector<Value> all;
        Visits visits;
        const std::function<void(const Value&, std::size_t)> add = [&](const Value& one, std::size_t depth) {
            if (depth == most_depth || !visits.begin(*one.object)) {
                return;
            }
            if (!inner_first) {
                all.push_back(one);
            }
            for (const Value& child : children_of(*one.object)) {
                add(child, depth + 1);
            }
            if (inner_first) {
                all.push_back(one);
            }
        };
        add(module, 0);
        return all;
    }

    Value other_method(const Value& object, const Expression& function, const std::string& method,
                       const std::vector<Value>& values) {
        if (object.is(Kind::text) && (method == "lower" || method == "strip")) {
            std::string text = object.text;
            if (method == "strip") {
                const std::string_view blank = " \n\t";
                text.erase(0, text.find_first_not_of(blank));
                text.erase(text.find_last_not_of(blank) + 1);
            } else {
                std::ranges::transform(text, text.begin(), to_lower);
            }
            return Value::of(std::move(text));
        }
        if (object.is(Kind::text) && method == "replace" && values.size() == 2 && !values[0].text.empty()) {
            std::string text = object.text;
            constexpr std::size_t most = 10'000'000;
            if (text.size() * values[1].text.size() > most) {  // each letter may become a long text
                return {};
            }
            replace_all(text, values[0].text, values[1].text);
            return Value::of(std::move(text));
        }
        if (object.is(Kind::text) && method == "split") {
            std::vector<Value> words;
            const std::string separator = values.empty() ? " " : values[0].text;
            for (std::size_t from = 0; from <= object.text.size() && !separator.empty();) {
                const std::size_t to = std::min(object.text.find(separator, from), object.text.size());
                if (to > from) {
                    words.push_back(Value::of(object.text.substr(from, to - from)));
                }
                from = to + separator.size();
            }
            return Value::of(std::move(words));
        }
        if (object.is(Kind::list) && values.size() == 1 && (method == "append" || method == "extend")) {
            Value longer = object;
            const Value more = Value::of(method == "append" ? values : iterated(values[0]));
            longer.items.insert(longer.items.end(), more.items.begin(), more.items.end());
            change(function.operands[0], affords(more) ? std::move(longer) : Value{});
            return Value::none();
        }
        if (object.is(Kind::list) && method == "index" && values.size() == 1) {
            const auto at = std::ranges::find_if(object.items, [&](const Value& item) {
                return item.kind == values[0].kind && item.text == values[0].text &&
                       item.number == values[0].number;
            });
            return at == object.items.end() ? Value{}
                                            : Value::of(static_cast<double>(at - object.items.begin()));
        }
        if (object.is(Kind::dictionary) && method == "get" && !values.empty()) {
            Value whole = object;
            const Value* const item = item_at(whole, values[0]);
            return item != nullptr ? *item : values.size() > 1 ? values[1] : Value::none();
        }
        if (object.is(Kind::dictionary) && (method == "items" || method == "values" || method == "keys")) {
            return of_dictionary(object, method);
        }
        return {};
    }

    // ---- what is shown ----------------------------------------------------------------------------------

    void show_last(const Expression& of) {
        const std::string_view function = of.called();
        if (function == "print" || function == "display" || function == "show" || function == "imshow") {
            return;
        }
        if (last_.is(Kind::none)) {
            return;
        }
        show_value(last_, of);
    }

    void show(const Expression& of) {
        if (of.is(Expression::Kind::format)) {
            for (const Expression& part : of.operands) {
                show(part);
            }
            return;
        }
        if (of.is(Expression::Kind::string)) {
            return;
        }
        const std::size_t work = work_;
        const Value value =
            of.is(Expression::Kind::starred) ? Value::of(iterated(evaluate(of.operands[0]))) : evaluate(of);
        work_ = work;
        show_value(value, of);
    }

    void show_value(const Value& value, const Expression& of) {
        if (is_silent_) {
            return;
        }
        if (of.is(Expression::Kind::tuple) && value.items.size() == of.operands.size()) {
            for (std::size_t i = 0; i < value.items.size(); ++i) {
                show_value(value.items[i], of.operands[i]);
            }
            return;
        }
        if (value.is(Kind::list) || value.is(Kind::dictionary) ||
            (value.is(Kind::unknown) && !nodes_of(value.items).empty())) {
            const bool has_tensor = !nodes_of({value}).empty();
            for (const Value& item : value.items) {
                if (has_tensor) {
                    show_value(item, of);
                }
            }
            return;
        }
        if (value.is(Kind::text) || value.is(Kind::library) || value.is(Kind::function) ||
            value.is(Kind::object) || value.is(Kind::truth)) {
            return;
        }
        Shown shown{.item = running_,
                    .node = node_of(value),
                    .is_number = value.is(Kind::number),
                    .source = shortened(of.source)};
        if (value.is(Kind::number) && !shown.node) {
            shown.node = record("number", {}, Tensor(Shape{}, {static_cast<float>(value.number)}));
        }
        shown.place =
            statement_ != nullptr ? place_of(*statement_) : document_.items[item_].place_of(of.line);
        const std::size_t index = flow_.shown.size();
        const auto printed = options_.printed.find(index);
        const bool is_unknown = !shown.node || !flow_.nodes[*shown.node].is_known;
        if (printed != options_.printed.end() && is_unknown && shown.node &&
            flow_.nodes[*shown.node].value.shape() == printed->second.value.shape()) {
            Computed& node = flow_.nodes[*shown.node];  // all its names see the numbers
            node.operation = "printed";
            node.operands.clear();
            node.value = printed->second.value;
            node.slack = printed->second.slack;
            node.is_known = true;
        } else if (printed != options_.printed.end() && is_unknown) {
            const std::size_t node = record("printed", {}, printed->second.value);
            flow_.nodes[node].slack = printed->second.slack;
            flow_.nodes[node].place = shown.place;
            if (value.is(Kind::tensor)) {
                value.tensor->node = node;
            } else if (of.is(Expression::Kind::name)) {
                flow_.nodes[node].name = std::string(of.text);
                (state_.scope ? state_.scope->names : globals_)[flow_.nodes[node].name] = tensor(node);
            }
            shown.node = node;
        }
        flow_.shown.push_back(std::move(shown));
    }

    const Document& document_;
    const std::vector<python::Code>& code_;
    const DataflowOptions& options_;
    Dataflow flow_;
    std::multimap<std::tuple<std::string, std::vector<std::size_t>, std::uint64_t>, std::size_t> known_;
    std::list<Tensor> scalars_;
    std::list<Statement> lambdas_;
    std::set<std::shared_ptr<Variable>> named_;  // tensors that were assigned to a variable
    Names globals_;
    // The state of a running function.
    struct State {
        std::shared_ptr<Scope> scope{};              // null outside of functions
        std::shared_ptr<Object> self{};              // the object whose method runs
        std::optional<std::size_t> running_class{};  // the class that has this method
        std::string_view jump{};                     // break or continue, until the loop ends
        std::optional<Value> returned{};
    };
    State state_;
    std::set<std::size_t> has_run_;  // items
    // For each name, the notebook's cells with a number that give it a value, the first one last.
    std::map<std::string, std::vector<std::size_t>, std::less<>> items_of_;
    std::vector<Definition> definitions_;
    std::vector<std::pair<std::shared_ptr<Object>, int>> objects_;
    Stream torch_;
    Stream numpy_;
    std::size_t item_ = 0;     // the item of the statement
    std::size_t running_ = 0;  // the item that runs; its output has what functions of other items print
    const Statement* statement_ = nullptr;
    std::string_view decorator_;  // of the next definition
    Value last_;
    std::size_t depth_ = 0;
    std::size_t work_ = 0;
    bool is_again_ = false;     // the item runs more than once
    bool is_first_run_ = true;  // it has not run yet
    bool is_silent_ = false;    // its output is that of a later run
    // Numbers and tensors that top-level assignments gave to variables, and those that a loop overwrote.
    std::map<std::string, Place, std::less<>> plain_;
    std::map<std::string, Overwritten, std::less<>> overwritten_;
    std::size_t loops_ = 0;
    bool has_torch_ = false;  // the document imports it
};

}  // namespace

}  // namespace flow

Dataflow follow(const Document& document, const std::vector<python::Code>& code,
                const DataflowOptions& options) {
    return flow::Follower(document, code, options).run();
}

}  // namespace attn
