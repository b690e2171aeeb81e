// An interpreter of what the code says about seeds and sizes. Its work is limited, so that loops and
// functions of any code end.
#include "documents/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "tensor/digits.hpp"
#include "text/ascii.hpp"
#include "text/decimal.hpp"

namespace attn {

namespace {

using python::Expression;
using python::Statement;
using Sizes = std::vector<std::size_t>;
using Ids = std::vector<std::size_t>;

constexpr std::size_t max_work = 400'000;  // expressions and statements
constexpr std::size_t max_calls = 16;      // functions within each other
constexpr std::size_t max_rounds = 64;     // of one loop
constexpr std::size_t max_lesson_numbers = 100'000;

// A class or function of the reader's.
struct Definition {
    const Statement* statement;
    std::size_t item;
};

struct Value;
using Members = std::map<std::string_view, Value>;

// A Python value, as far as it is known. Copies share their elements and members, as in Python.
struct Value {
    std::optional<double> number{};
    std::string_view string{};
    std::optional<Sizes> sizes{};                    // of a tensor
    std::shared_ptr<std::vector<Value>> elements{};  // of a list or tuple, or the values of a dictionary
    std::shared_ptr<std::vector<Value>> keys{};      // of a dictionary
    std::shared_ptr<Members> members{};              // the attributes of an instance
    const Definition* definition = nullptr;          // the class of an instance, or what the name stands for
    std::optional<double> rate{};                    // of nn.Dropout
    std::optional<std::size_t> stream{};             // of a generator
    std::optional<std::size_t> item{};               // where a literal is written
    std::size_t line = 0;

    // The draws, facts and lesson on which it depends.
    Ids draws{};
    Ids facts{};
    std::optional<std::size_t> lesson{};

    bool is_sequence() const { return elements != nullptr; }
};

void add_ids(Ids& ids, const Ids& more) {
    for (const std::size_t id : more) {
        if (std::ranges::find(ids, id) == ids.end()) {
            ids.push_back(id);
        }
    }
}

// Adds the dependencies of another value.
void depend(Value& value, const Value& on) {
    add_ids(value.draws, on.draws);
    add_ids(value.facts, on.facts);
    if (!value.lesson) {
        value.lesson = on.lesson;
    }
}

struct NamedValue {
    std::string_view keyword;
    Value value;
};
using Values = std::vector<NamedValue>;

// A sequence of random numbers.
struct Stream {
    std::optional<std::uint64_t> seed{};
    std::size_t seed_fact = 0;
    std::optional<std::size_t> drawn{};
};
constexpr std::size_t of_torch = 0;
constexpr std::size_t of_numpy = 1;

// Names that people give the parameters of their classes.
struct Synonym {
    std::string_view written;
    std::string_view parameter;
};
constexpr std::array<Synonym, 24> synonyms{{{"d_in", "d_in"},
                                            {"in_features", "d_in"},
                                            {"input_dim", "d_in"},
                                            {"in_dim", "d_in"},
                                            {"d_out", "d_out"},
                                            {"out_features", "d_out"},
                                            {"output_dim", "d_out"},
                                            {"out_dim", "d_out"},
                                            {"d_model", "d_out"},
                                            {"emb_dim", "d_out"},
                                            {"embed_dim", "d_out"},
                                            {"context_length", "context_length"},
                                            {"block_size", "context_length"},
                                            {"ctx_len", "context_length"},
                                            {"max_len", "context_length"},
                                            {"dropout", "dropout"},
                                            {"dropout_rate", "dropout"},
                                            {"drop_rate", "dropout"},
                                            {"num_heads", "num_heads"},
                                            {"n_heads", "num_heads"},
                                            {"n_head", "num_heads"},
                                            {"heads", "num_heads"},
                                            {"qkv_bias", "qkv_bias"},
                                            {"bias", "qkv_bias"}}};

std::string_view parameter_of(std::string_view name) {
    const auto row = std::ranges::find(synonyms, name, &Synonym::written);
    return row == synonyms.end() ? std::string_view() : row->parameter;
}

// The classes of the book, for notebooks that import them.
struct Signature {
    std::string_view name;
    std::array<std::string_view, 6> parameters;
};
constexpr std::array<Signature, 6> signatures{{
    {"SelfAttention_v1", {"d_in", "d_out"}},
    {"SelfAttention_v2", {"d_in", "d_out", "qkv_bias"}},
    {"CausalAttention", {"d_in", "d_out", "context_length", "dropout", "qkv_bias"}},
    {"MultiHeadAttentionWrapper", {"d_in", "d_out", "context_length", "dropout", "num_heads", "qkv_bias"}},
    {"MultiHeadAttention", {"d_in", "d_out", "context_length", "dropout", "num_heads", "qkv_bias"}},
    {"MultiheadAttention", {"d_out", "num_heads", "dropout", "qkv_bias"}},
}};

template <std::size_t size>
bool is_among(std::string_view name, const std::array<std::string_view, size>& names) {
    return std::ranges::find(names, name) != names.end();
}

constexpr std::array<std::string_view, 12> literals{"tensor",     "array",      "Tensor",  "FloatTensor",
                                                    "as_tensor",  "from_numpy", "asarray", "DoubleTensor",
                                                    "HalfTensor", "stack_rows", "matrix",  "Variable"};
constexpr std::array<std::string_view, 12> distributions{
    "rand",     "randn",     "uniform",    "normal",          "random",    "randint",
    "randperm", "rand_like", "randn_like", "standard_normal", "bernoulli", "multinomial"};
constexpr std::array<std::string_view, 6> fillings{"zeros", "ones", "empty", "full", "eye", "arange"};
// Functions and methods whose results have the shape of the first operand.
constexpr std::array<std::string_view, 30> keeping{
    "softmax",        "exp",   "masked_fill", "masked_fill_", "tril",    "triu",  "clone",
    "detach",         "float", "double",      "half",         "to",      "numpy", "contiguous",
    "requires_grad_", "cpu",   "cuda",        "bool",         "round",   "sqrt",  "abs",
    "Parameter",      "div",   "mul",         "copy",         "dropout", "log",   "tanh",
    "relu",           "gelu"};

class Interpreter {
public:
    Interpreter(const Document& document, DocumentSettings& found) : document_(document), found_(found) {}

    void run() {
        found_.code.resize(document_.items.size());
        found_.in_force.resize(document_.items.size());
        for (std::size_t i = 0; i < document_.items.size(); ++i) {
            if (document_.items[i].kind == Item::Kind::code) {
                found_.code[i] = python::parse(document_.items[i].text);
            }
        }
        for (const Run& run : runs()) {
            run_item(run);
        }
        for (StatedLesson& lesson : found_.lessons) {
            name_tokens(lesson.lesson);
        }
    }

private:
    // ---- cells ------------------------------------------------------------------------------------------

    struct Run {
        std::size_t item;
        bool is_last = true;  // false if the cell was executed again afterwards
        double when = 0.0;
    };

    // Returns the runs of the cells. A cell that was executed after a later one, and whose own count is
    // missing at its place, was executed there before.
    std::vector<Run> runs() const {
        std::vector<Run> all;
        Ids counts;
        double when = 0.0;
        for (std::size_t i = 0; i < document_.items.size(); ++i) {
            const Item& item = document_.items[i];
            if (item.kind != Item::Kind::code) {
                continue;
            }
            if (item.place.execution_count) {
                counts.push_back(*item.place.execution_count);
                when = static_cast<double>(counts.back());
            }
            all.push_back({i, true, when});
        }
        Ids sorted = counts;
        std::ranges::sort(sorted);
        const bool is_unique = std::ranges::adjacent_find(sorted) == sorted.end();
        if (!is_unique || sorted == counts) {
            return all;
        }
        const bool is_complete = sorted.back() - sorted.front() + 1 == sorted.size();
        double least = static_cast<double>(sorted.back()) + 1.0;
        std::vector<Run> earlier;
        for (auto run = all.rbegin(); run != all.rend(); ++run) {
            if (run->when > least && !is_complete) {
                earlier.push_back({run->item, false, least - 0.5});
            }
            least = std::min(least, run->when);
        }
        std::ranges::reverse(earlier);
        all.insert(all.begin(), earlier.begin(), earlier.end());
        std::ranges::stable_sort(all, {}, &Run::when);
        return all;
    }

    void run_item(const Run& run) {
        executed_ = item_ = run.item;
        is_shown_ = run.is_last;
        found_.runs.push_back(run.item);
        for (const python::Comment& comment : found_.code[item_].comments) {
            comments_.insert_or_assign({item_, comment.line}, comment.text);
        }
        const std::vector<Statement>& statements = found_.code[item_].statements;
        for (const Statement& statement : statements) {
            const bool is_session = document_.format == Document::Format::session;
            const bool is_last = &statement == &statements.back();
            if (statement.kind == Statement::Kind::expression && (is_last || is_session)) {
                run_last_line(statement);
            } else {
                execute(statement);
            }
        }
        found_.in_force[item_] = in_force();
    }

    void run_last_line(const Statement& statement) {
        const std::size_t before = facts_.size();
        const Value value = evaluate(statement.value);
        const std::string_view called = statement.value.called();
        if (called != "print" && called != "display" && called != "show" &&
            (facts_.size() == before || !value.draws.empty())) {
            show(statement.value, value, nullptr);
        }
    }

    // Returns the settings stated last.
    std::vector<StatedSetting> in_force() const {
        std::vector<StatedSetting> settings;
        for (auto fact = facts_.rbegin(); fact != facts_.rend(); ++fact) {
            add_setting(settings, *fact);
        }
        return settings;
    }

    static void add_setting(std::vector<StatedSetting>& settings, const StatedSetting& setting) {
        const auto same = std::ranges::find(settings, setting.parameter, &StatedSetting::parameter);
        if (same == settings.end()) {
            settings.push_back(setting);
        }
    }

    // ---- statements -------------------------------------------------------------------------------------

    // Returns false when a function has returned.
    bool execute(const Statement& statement) {
        using enum Statement::Kind;
        if (++work_ > max_work) {
            return true;
        }
        switch (statement.kind) {
            case expression:
                evaluate(statement.value);
                break;
            case assignment: {
                const std::size_t before = found_.draws.size();
                const Value value = evaluate(statement.value);
                for (const Expression& target : statement.targets) {
                    assign(target, value);
                    name_draws(before, target);
                }
                break;
            }
            case augmented: {
                Value value = evaluate(statement.targets[0]);
                depend(value, evaluate(statement.value));
                value.number.reset();
                assign(statement.targets[0], value);
                break;
            }
            case function:
            case class_: {
                Value value;
                definitions_.push_back(std::make_unique<Definition>(Definition{&statement, item_}));
                value.definition = definitions_.back().get();
                names()[statement.text] = value;
                break;
            }
            case import:
                for (std::size_t i = 0; i + 1 < statement.targets.size(); i += 2) {
                    imported_[statement.targets[i + 1].text] = statement.targets[i].text;
                }
                break;
            case for_:
                return execute_loop(statement);
            case with: {
                const Value value = evaluate(statement.value);
                if (!statement.targets.empty()) {
                    assign(statement.targets[0], value);
                }
                return execute_all(statement.body);
            }
            case if_: {
                const Value condition = evaluate(statement.value);
                const bool is_false = condition.number && *condition.number == 0.0;
                const bool is_true = condition.number && *condition.number != 0.0;
                const bool goes_on = is_false || execute_all(statement.body);
                return (is_true || execute_all(statement.otherwise)) && goes_on;
            }
            case while_:
                return execute_all(statement.body);
            case return_:
                returned_ = evaluate(statement.value);
                return false;
            case other:
                break;
        }
        return true;
    }

    bool execute_all(const std::vector<Statement>& statements) {
        return std::ranges::all_of(statements, [&](const Statement& one) { return execute(one); });
    }

    bool execute_loop(const Statement& statement) {
        const Value iterated = evaluate(statement.value);
        const std::size_t rounds = std::min(length_of(iterated).value_or(1), max_rounds);
        for (std::size_t i = 0; i < rounds; ++i) {
            assign(statement.targets[0], element(iterated, i));
            if (!execute_all(statement.body)) {
                return false;
            }
        }
        return true;
    }

    // Names the draws of a statement after its target.
    void name_draws(std::size_t begin, const Expression& target) {
        for (std::size_t i = begin; i < found_.draws.size(); ++i) {
            const bool is_one_each =
                target.is(Expression::Kind::tuple) && target.operands.size() == found_.draws.size() - begin;
            const Expression& one = is_one_each ? target.operands[i - begin] : target;
            if (found_.draws[i].name.empty()) {
                found_.draws[i].name = one.source;
            }
        }
    }

    void assign(const Expression& target, const Value& value) {
        using enum Expression::Kind;
        if (target.is(name)) {
            if (value.lesson && found_.lessons[*value.lesson].name.empty()) {
                found_.lessons[*value.lesson].name = target.text;
            }
            names()[target.text] = value;
        } else if (target.is(tuple) || target.is(list)) {
            for (std::size_t i = 0; i < target.operands.size(); ++i) {
                assign(target.operands[i], element(value, i));
            }
        } else if (target.is(attribute)) {
            const Value object = evaluate(target.operands[0]);
            if (object.members) {
                (*object.members)[target.text] = value;
            }
        } else if (target.is(subscript) && target.operands[0].is(name)) {
            depend(names()[target.operands[0].text], value);
        }
    }

    Members& names() { return scopes_.empty() ? globals_ : scopes_.back(); }

    // ---- expressions ------------------------------------------------------------------------------------

    Value evaluate(const Expression& one) {
        using enum Expression::Kind;
        Value value;
        if (++work_ > max_work) {
            return value;
        }
        switch (one.kind) {
            case name:
                return lookup(one.text);
            case number: {
                double number = 0.0;
                std::string digits(one.text);
                std::erase(digits, '_');
                if (read_double(digits, number) == digits.size()) {
                    value.number = number;
                }
                return written_here(std::move(value), one);
            }
            case string:
                value.string = one.text;
                return written_here(std::move(value), one);
            case constant:
                if (one.text == "True" || one.text == "False") {
                    value.number = one.text == "True" ? 1.0 : 0.0;
                }
                return written_here(std::move(value), one);
            case attribute:
                return attribute_of(evaluate(one.operands[0]), one.text);
            case call:
                return call_value(one);
            case subscript:
                return item_of(evaluate(one.operands[0]), one.operands[1]);
            case unary:
                value = evaluate(one.operands[0]);
                if (value.number) {
                    value.number = one.text == "-"     ? -*value.number
                                   : one.text == "not" ? (*value.number == 0.0 ? 1.0 : 0.0)
                                                       : *value.number;
                }
                return value;
            case binary:
                return operation(one.text, evaluate(one.operands[0]), evaluate(one.operands[1]));
            case conditional: {
                const Value condition = evaluate(one.operands[1]);
                return evaluate(one.operands[condition.number && *condition.number == 0.0 ? 2 : 0]);
            }
            case list:
            case tuple: {
                value.elements = std::make_shared<std::vector<Value>>();
                for (const Expression& operand : one.operands) {
                    const Value part = evaluate(operand);
                    if (operand.is(starred) && part.elements) {
                        value.elements->insert(value.elements->end(), part.elements->begin(),
                                               part.elements->end());
                    } else {
                        value.elements->push_back(part);
                    }
                    depend(value, part);
                }
                return written_here(std::move(value), one);
            }
            case dictionary: {
                value.elements = std::make_shared<std::vector<Value>>();
                value.keys = std::make_shared<std::vector<Value>>();
                for (std::size_t i = 0; i + 1 < one.operands.size(); i += 2) {
                    value.keys->push_back(evaluate(one.operands[i]));
                    value.elements->push_back(evaluate(one.operands[i + 1]));
                }
                return value;
            }
            case comprehension:
                return comprehended(one);
            case starred:
                return evaluate(one.operands[0]);
            default:
                for (const Expression& operand : one.operands) {
                    depend(value, evaluate(operand));
                }
                return value;
        }
    }

    Value written_here(Value value, const Expression& one) const {
        value.item = item_;
        value.line = one.line;
        return value;
    }

    Value lookup(std::string_view name) const {
        for (const Members* const scope : {scopes_.empty() ? &globals_ : &scopes_.back(), &globals_}) {
            if (const auto found = scope->find(name); found != scope->end()) {
                return found->second;
            }
        }
        Value value;
        if (name == "__name__") {
            value.string = "__main__";
        }
        return value;
    }

    Value comprehended(const Expression& one) {
        Value value;
        const Value iterated = evaluate(one.operands[1]);
        value.elements = std::make_shared<std::vector<Value>>();
        const std::size_t rounds = std::min(length_of(iterated).value_or(1), max_rounds);
        for (std::size_t i = 0; i < rounds; ++i) {
            if (!one.text.empty()) {
                names()[one.text] = element(iterated, i);
            }
            value.elements->push_back(evaluate(one.operands[0]));
            depend(value, value.elements->back());
        }
        depend(value, iterated);
        return value;
    }

    static std::optional<std::size_t> length_of(const Value& value) {
        if (value.elements) {
            return value.elements->size();
        }
        return value.sizes && !value.sizes->empty() ? std::optional(value.sizes->front()) : std::nullopt;
    }

    // Returns what value[index] is.
    static Value element(const Value& value, std::size_t index) {
        if (value.elements && index < value.elements->size()) {
            return (*value.elements)[index];
        }
        Value part;
        depend(part, value);
        if (value.sizes && !value.sizes->empty()) {
            part.sizes = Sizes(value.sizes->begin() + 1, value.sizes->end());
        }
        return part;
    }

    Value attribute_of(const Value& object, std::string_view name) const {
        if (object.members) {
            if (const auto found = object.members->find(name); found != object.members->end()) {
                return found->second;
            }
        }
        Value value;
        depend(value, object);
        value.sizes = object.sizes;
        if (name == "shape") {
            value.sizes.reset();
            if (object.sizes) {
                value.elements = std::make_shared<std::vector<Value>>();
                for (const std::size_t size : *object.sizes) {
                    value.elements->emplace_back().number = static_cast<double>(size);
                }
            }
        } else if (name == "T" || name == "mT") {
            if (value.sizes) {
                std::ranges::reverse(*value.sizes);
            }
        } else if (name == "training" || name == "device" || name == "dtype") {
            value.sizes.reset();
        } else if (name == "weight" && object.sizes && object.sizes->size() == 2) {
            std::ranges::reverse(*value.sizes);  // nn.Linear keeps (d_out, d_in)
        } else if (name == "bias" && object.sizes && !object.sizes->empty()) {
            value.sizes = Sizes{object.sizes->back()};
        }
        return value;
    }

    Value item_of(const Value& value, const Expression& index) {
        const Value at = evaluate(index);
        if (value.keys) {
            for (std::size_t i = 0; i < value.keys->size(); ++i) {
                const Value& key = (*value.keys)[i];
                if ((!at.string.empty() && key.string == at.string) ||
                    (at.number && key.number == at.number)) {
                    return (*value.elements)[i];
                }
            }
            return {};
        }
        const auto length = length_of(value);
        if (at.number && length) {
            const double whole = *at.number < 0.0 ? *at.number + static_cast<double>(*length) : *at.number;
            return element(value, whole >= 0.0 && whole < static_cast<double>(*length)
                                      ? static_cast<std::size_t>(whole)
                                      : 0);
        }
        Value part;
        depend(part, value);
        return part;
    }

    static Value operation(std::string_view sign, const Value& left, const Value& right) {
        Value value;
        depend(value, left);
        depend(value, right);
        if (left.number && right.number) {
            const double a = *left.number;
            const double b = *right.number;
            value.item = left.item;
            value.line = left.line;
            if (sign == "+") {
                value.number = a + b;
            }
            if (sign == "-") {
                value.number = a - b;
            }
            if (sign == "*") {
                value.number = a * b;
            }
            if (sign == "/") {
                value.number = a / b;
            }
            if (sign == "//") {
                value.number = std::floor(a / b);
            }
            if (sign == "**") {
                value.number = std::pow(a, b);
            }
            if (sign == "%") {
                value.number = a - b * std::floor(a / b);
            }
            if (sign == "==") {
                value.number = a == b ? 1.0 : 0.0;
            }
        } else if (sign == "==" && !left.string.empty() && !right.string.empty()) {
            value.number = left.string == right.string ? 1.0 : 0.0;
        } else if (sign == "*" && left.elements && right.number && *right.number >= 0.0 &&
                   *right.number < 100.0) {
            value.elements = std::make_shared<std::vector<Value>>();
            for (double i = 0.0; i < *right.number; i += 1.0) {
                value.elements->insert(value.elements->end(), left.elements->begin(), left.elements->end());
            }
        } else if (sign == "@" && left.sizes && right.sizes && !left.sizes->empty() &&
                   !right.sizes->empty()) {
            Sizes sizes = *left.sizes;
            sizes.pop_back();
            if (right.sizes->size() > 1) {
                sizes.push_back(right.sizes->back());
            }
            value.sizes = sizes;
        } else if (sign != "@") {
            const bool is_left = left.sizes && (!right.sizes || left.sizes->size() >= right.sizes->size());
            value.sizes = is_left ? left.sizes : right.sizes;
        }
        return value;
    }

    // ---- calls ------------------------------------------------------------------------------------------

    Value call_value(const Expression& one) {
        const Expression& function = one.operands[0];
        std::string_view name = function.text;
        if (const auto found = imported_.find(name);
            function.is(Expression::Kind::name) && found != imported_.end()) {
            name = found->second;
        }
        const bool is_method = function.is(Expression::Kind::attribute);
        const Value object = is_method ? evaluate(function.operands[0]) : Value();
        const Values arguments = arguments_of(one);
        const Value callee = is_method                             ? attribute_of(object, name)
                             : function.is(Expression::Kind::name) ? lookup(function.text)
                                                                   : evaluate(function);
        if (is_method && function.operands[0].called() == "super") {
            return call_super(name, arguments);
        }
        if (is_method && object.definition != nullptr) {
            if (const auto method = find_method(*object.definition, name)) {
                return invoke(*method, object.members ? &object : nullptr, arguments);
            }
        }
        if (callee.definition != nullptr && !is_inherited(callee, object)) {
            return call_own(callee, arguments, one);
        }
        if (callee.rate) {
            return dropped(callee, arguments, one);
        }
        if (is_method && callee.elements && !callee.sizes) {  // nn.ModuleList and the like, called in a loop
            return merged(object, arguments);
        }
        const bool is_member = object.members && object.members->contains(name);
        if (is_method && !is_member) {
            return known_call(one, name, object, true, arguments);
        }
        return known_call(one, name, callee, false, arguments);
    }

    // Returns true if an unknown attribute of an instance was asked for, not a module in one of its
    // attributes.
    static bool is_inherited(const Value& callee, const Value& object) {
        return callee.definition == object.definition && !callee.members && object.members;
    }

    Values arguments_of(const Expression& call) {
        Values arguments;
        for (std::size_t i = 1; i < call.operands.size(); ++i) {
            const Expression& operand = call.operands[i];
            const Value value = evaluate(operand);
            if (operand.is(Expression::Kind::starred) && value.elements) {
                for (std::size_t j = 0; j < value.elements->size(); ++j) {
                    arguments.push_back({value.keys ? (*value.keys)[j].string : "", (*value.elements)[j]});
                }
            } else {
                arguments.push_back({call.keywords[i - 1], value});
            }
        }
        return arguments;
    }

    static const Value* argument(const Values& arguments, std::string_view keyword, std::size_t position) {
        std::size_t next = 0;
        for (const NamedValue& one : arguments) {
            if (one.keyword.empty() ? next++ == position : one.keyword == keyword) {
                return &one.value;
            }
        }
        return nullptr;
    }

    static Value merged(const Value& object, const Values& arguments) {
        Value value;
        depend(value, object);
        for (const NamedValue& one : arguments) {
            depend(value, one.value);
        }
        return value;
    }

    Value known_call(const Expression& one, std::string_view name, const Value& object, bool is_method,
                     const Values& arguments) {
        const std::string_view path = one.operands[0].source;
        Value value = merged(object, arguments);
        const Value* const first = argument(arguments, "", 0);
        if (name == "print" || name == "display" || name == "pprint") {
            for (std::size_t i = 1; i < one.operands.size(); ++i) {
                show_argument(one, one.operands[i], arguments);
            }
        } else if (name.find("seed") != std::string_view::npos) {
            return seeded(one, name, object, arguments);
        } else if (name == "Generator" || name == "default_rng" || name == "RandomState") {
            value.stream = streams_.size();
            streams_.emplace_back();
            if (first != nullptr && first->number) {
                set_seed(one, *value.stream, *first);
            }
        } else if (is_among(name, literals)) {
            return literal(one, arguments);
        } else if (is_among(name, distributions) &&
                   (!is_method || object.stream || path.find("rand") != std::string_view::npos)) {
            value.sizes = sizes_in(arguments);
            if (name.ends_with("_like") && first != nullptr) {
                value.sizes = first->sizes;
            }
            draw(value, one, name, object, arguments, value.sizes);
        } else if (name == "Linear") {
            value.sizes = sizes_in(arguments);
            draw(value, one, name, object, arguments, value.sizes);
        } else if (name == "Embedding") {
            value.sizes = sizes_in(arguments);
            draw(value, one, name, object, arguments, std::nullopt);
        } else if (name == "Dropout") {
            const Value* const rate = argument(arguments, "p", 0);
            value.rate = rate == nullptr ? 0.5 : rate->number.value_or(0.5);
            value.facts.push_back(add_fact("dropout", shortest_digits(*value.rate), one));
            note_inner("dropout", value.facts.back());
        } else if (const auto book = std::ranges::find(signatures, name, &Signature::name);
                   book != signatures.end()) {
            Draw& made = draw(value, one, name, object, {}, std::nullopt);
            std::size_t position = 0;
            for (const std::string_view parameter : book->parameters) {
                const Value* const given =
                    parameter.empty() ? nullptr : argument(arguments, parameter, position++);
                if (given != nullptr) {
                    state(made, parameter, *given, one);
                }
            }
        } else if (name == "set_printoptions") {
            if (const Value* const precision = argument(arguments, "precision", 0);
                precision != nullptr && precision->number) {
                add_fact("precision", shortest_digits(*precision->number), one);
            }
        } else if (name == "set_default_dtype" || name == "double") {
            const Expression* const type = name == "double" ? nullptr : one.argument("", 0);
            value.facts.push_back(
                add_fact("dtype", std::string(type == nullptr ? "float64" : type->text), one));
            value.sizes = object.sizes;
        } else if (name == "stack") {
            stacked(value, arguments, one);
        } else if (is_among(name, fillings)) {
            value.sizes = sizes_in(arguments);
        } else if (name == "len") {
            if (const auto length = first == nullptr ? std::nullopt : length_of(*first)) {
                value.number = static_cast<double>(*length);
            }
        } else if (name == "size" && object.sizes) {
            return first == nullptr ? attribute_of(object, "shape")
                                    : item_of(attribute_of(object, "shape"), one.operands[1]);
        } else if (name == "range") {
            return ranged(arguments);
        } else if (name == "enumerate" || name == "zip") {
            return zipped(arguments, name == "enumerate");
        } else if (name == "list" || name == "tuple" || name == "ModuleList" || name == "int" ||
                   name == "float" || name == "Parameter") {
            return first == nullptr ? value : *first;
        } else if (name == "values" || name == "items") {
            value.elements = object.elements;
            value.keys = name == "items" ? nullptr : object.keys;
        } else if (name == "split" && !object.string.empty()) {
            value = words_of(object);
        } else if (name == "register_buffer" && object.members && arguments.size() > 1) {
            (*object.members)[arguments[0].value.string] = arguments[1].value;
        } else if (name == "eval" && object.members) {
            const Value rate = number_value(0.0);
            (*object.members)["training"] = rate;
        } else if (name == "transpose" && object.sizes && object.sizes->size() > 1 && arguments.size() == 2) {
            value.sizes = transposed(*object.sizes, arguments);
        } else if ((name == "view" || name == "reshape") && is_method) {
            value.sizes = reshaped(object, arguments);
        } else if (is_among(name, keeping)) {
            value.sizes = is_method && object.sizes ? object.sizes
                          : first == nullptr        ? std::nullopt
                                                    : first->sizes;
        } else if (object.sizes && object.sizes->size() == 2 && !object.draws.empty() && first != nullptr &&
                   first->sizes && !first->sizes->empty() && !is_method) {
            value.sizes = first->sizes;  // nn.Linear applied
            value.sizes->back() = object.sizes->back();
        }
        return value;
    }

    static Value number_value(double number) {
        Value value;
        value.number = number;
        return value;
    }

    static std::optional<std::size_t> whole(const Value& value) {
        return value.number && *value.number >= 0.0 && *value.number < 1e9
                   ? std::optional(static_cast<std::size_t>(*value.number))
                   : std::nullopt;
    }

    // The sizes in `torch.rand(6, 3)` or `np.zeros((6, 3))`.
    static std::optional<Sizes> sizes_in(const Values& arguments) {
        Sizes sizes;
        for (const NamedValue& one : arguments) {
            if (!one.keyword.empty() && parameter_of(one.keyword) != "d_in" &&
                parameter_of(one.keyword) != "d_out") {
                continue;
            }
            if (one.value.elements) {
                for (const Value& size : *one.value.elements) {
                    const auto number = whole(size);
                    if (!number) {
                        return std::nullopt;
                    }
                    sizes.push_back(*number);
                }
                return sizes;
            }
            const auto number = whole(one.value);
            if (!number) {
                return std::nullopt;
            }
            sizes.push_back(*number);
        }
        return sizes;
    }

    static std::optional<Sizes> transposed(Sizes sizes, const Values& arguments) {
        std::array<std::size_t, 2> axes{};
        for (std::size_t i = 0; i < 2; ++i) {
            const double axis = arguments[i].value.number.value_or(-100.0);
            const double from_front = axis < 0.0 ? axis + static_cast<double>(sizes.size()) : axis;
            if (from_front < 0.0 || from_front >= static_cast<double>(sizes.size())) {
                return std::nullopt;
            }
            axes[i] = static_cast<std::size_t>(from_front);
        }
        std::swap(sizes[axes[0]], sizes[axes[1]]);
        return sizes;
    }

    static std::optional<Sizes> reshaped(const Value& object, const Values& arguments) {
        std::optional<Sizes> sizes = sizes_in(arguments);
        if (sizes || !object.sizes) {
            return sizes;
        }
        std::size_t rest = 1;
        for (const std::size_t size : *object.sizes) {
            rest *= size;
        }
        sizes.emplace();
        std::optional<std::size_t> open;
        for (const NamedValue& one : arguments) {
            const auto number = whole(one.value);
            if (!number && (open || one.value.number != -1.0)) {
                return std::nullopt;
            }
            open = number ? open : std::optional(sizes->size());
            sizes->push_back(number.value_or(1));
            rest /= std::max<std::size_t>(sizes->back(), 1);
        }
        if (open) {
            (*sizes)[*open] = rest;
        }
        return sizes;
    }

    static Value ranged(const Values& arguments) {
        Value value;
        const double first = arguments.size() > 1 ? arguments[0].value.number.value_or(0.0) : 0.0;
        const auto last =
            arguments.empty() ? std::nullopt : arguments[arguments.size() > 1 ? 1 : 0].value.number;
        if (last) {
            value.elements = std::make_shared<std::vector<Value>>();
            for (double i = first; i < *last && value.elements->size() < max_rounds; i += 1.0) {
                value.elements->push_back(number_value(i));
            }
        }
        return value;
    }

    static Value zipped(const Values& arguments, bool is_counted) {
        Value value;
        value.elements = std::make_shared<std::vector<Value>>();
        const auto length = arguments.empty() ? std::nullopt : length_of(arguments[0].value);
        for (std::size_t i = 0; i < std::min(length.value_or(1), max_rounds); ++i) {
            Value row;
            row.elements = std::make_shared<std::vector<Value>>();
            if (is_counted) {
                row.elements->push_back(number_value(static_cast<double>(i)));
            }
            for (const NamedValue& one : arguments) {
                row.elements->push_back(element(one.value, i));
            }
            value.elements->push_back(row);
        }
        return value;
    }

    static Value words_of(const Value& sentence) {
        Value value;
        value.elements = std::make_shared<std::vector<Value>>();
        std::string_view rest = sentence.string;
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find(' '), rest.size());
            if (end > 0) {
                value.elements->emplace_back().string = rest.substr(0, end);
            }
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        return value;
    }

    void stacked(Value& value, const Values& arguments, const Expression& one) {
        if (arguments.empty() || !arguments[0].value.elements || arguments[0].value.elements->empty()) {
            return;
        }
        const std::vector<Value>& parts = *arguments[0].value.elements;
        const Value* const axis = argument(arguments, "dim", 1);
        if (parts[0].sizes && (axis == nullptr || axis->number == 0.0)) {
            value.sizes = parts[0].sizes;
            value.sizes->insert(value.sizes->begin(), parts.size());
        }
        if (value.sizes && value.sizes->size() == 3) {
            value.facts.push_back(add_fact("batch", std::to_string(parts.size()), one));
        }
    }

    // ---- the reader's own classes and functions ---------------------------------------------------------

    std::optional<Definition> find_method(const Definition& owner, std::string_view name,
                                          std::size_t depth = 0) const {
        if (owner.statement->kind != Statement::Kind::class_ || depth > max_calls) {
            return std::nullopt;
        }
        for (const Statement& statement : owner.statement->body) {
            if (statement.kind == Statement::Kind::function && statement.text == name) {
                return Definition{&statement, owner.item};
            }
        }
        for (const Expression& base : owner.statement->targets) {
            const auto found = globals_.find(base.text);
            if (found != globals_.end() && found->second.definition != nullptr) {
                if (auto method = find_method(*found->second.definition, name, depth + 1)) {
                    return method;
                }
            }
        }
        return std::nullopt;
    }

    Value call_own(const Value& callee, const Values& arguments, const Expression& one) {
        if (callee.members) {  // an instance
            for (const std::string_view name : {"forward", "__call__"}) {
                if (const auto method = find_method(*callee.definition, name)) {
                    Value result = invoke(*method, &callee, arguments);
                    depend(result, merged(callee, arguments));
                    return result;
                }
            }
            return merged(callee, arguments);
        }
        if (callee.definition->statement->kind == Statement::Kind::function) {
            return invoke(*callee.definition, nullptr, arguments);
        }
        return construct(*callee.definition, arguments, one);
    }

    Value construct(const Definition& definition, const Values& arguments, const Expression& one) {
        Value instance;
        instance.definition = &definition;
        instance.members = std::make_shared<Members>();
        const bool is_outer = !module_;
        std::optional<std::size_t> made;
        if (is_outer) {
            made = found_.draws.size();
            draw(instance, one, definition.statement->text, {}, {}, Sizes{0});
            module_ = made;
        } else {
            instance.draws.push_back(*module_);
        }
        const auto constructor = find_method(definition, "__init__");
        if (constructor) {
            if (is_outer) {
                bind_settings(found_.draws[*made], *constructor->statement, arguments, one);
            }
            invoke(*constructor, &instance, arguments);
        }
        if (is_outer) {
            module_.reset();
            finish(*made, instance);
        }
        return instance;
    }

    // States the arguments whose names say which parameter they are.
    void bind_settings(Draw& made, const Statement& constructor, const Values& arguments,
                       const Expression& one) {
        for (std::size_t i = 1; i < constructor.parameters.size(); ++i) {
            const python::Argument& parameter = constructor.parameters[i];
            const std::string_view known = parameter_of(parameter.name);
            const Value* const given = argument(arguments, parameter.name, i - 1);
            if (known.empty() || (given == nullptr && !parameter.value)) {
                continue;
            }
            if (given != nullptr) {
                state(made, known, *given, one);
            } else if (const std::size_t item = item_; parameter.value->is(Expression::Kind::number) ||
                                                       parameter.value->is(Expression::Kind::constant)) {
                state(made, known, evaluate(*parameter.value), one);
                item_ = item;
            }
        }
    }

    // Removes the draw of a module without random numbers. The layers state what the arguments leave open.
    void finish(std::size_t made, Value& instance) {
        Draw& draw = found_.draws[made];
        if (!has_drawn_) {
            if (made + 1 == found_.draws.size()) {
                found_.draws.pop_back();
                std::erase(instance.draws, made);
                for (auto& [name, member] : *instance.members) {
                    std::erase(member.draws, made);
                }
            }
        } else {
            for (const std::size_t fact : inner_) {
                add_setting(draw.settings, facts_[fact]);
            }
            for (const StatedSetting& setting : draw.settings) {
                facts_.push_back(setting);
            }
        }
        has_drawn_ = false;
        inner_.clear();
    }

    void note_inner(std::string_view parameter, std::size_t fact) {
        const bool is_known = std::ranges::any_of(
            inner_, [&](std::size_t other) { return facts_[other].parameter == parameter; });
        if (module_ && !is_known) {
            inner_.push_back(fact);
        }
    }

    Value call_super(std::string_view name, const Values& arguments) {
        const Definition* const owner = method_owner_;
        if (owner == nullptr || scopes_.empty()) {
            return {};
        }
        const Value self = self_;
        for (const Expression& base : owner->statement->targets) {
            const auto found = globals_.find(base.text);
            if (found != globals_.end() && found->second.definition != nullptr) {
                if (const auto method = find_method(*found->second.definition, name)) {
                    const Definition* const outer = std::exchange(method_owner_, found->second.definition);
                    const Value result = invoke_with(*method, &self, arguments);
                    method_owner_ = outer;
                    return result;
                }
            }
        }
        return merged(self, arguments);
    }

    Value invoke(const Definition& function, const Value* self, const Values& arguments) {
        const Definition* const outer =
            std::exchange(method_owner_, self == nullptr ? nullptr : self->definition);
        const Value result = invoke_with(function, self, arguments);
        method_owner_ = outer;
        return result;
    }

    Value invoke_with(const Definition& function, const Value* self, const Values& arguments) {
        if (scopes_.size() >= max_calls) {
            return {};
        }
        Members scope;
        std::size_t position = 0;
        for (const python::Argument& parameter : function.statement->parameters) {
            if (self != nullptr && position == 0) {
                scope[parameter.name] = *self;
            } else if (const Value* const given =
                           argument(arguments, parameter.name, position - (self != nullptr ? 1 : 0))) {
                scope[parameter.name] = *given;
            } else if (parameter.value) {
                scope[parameter.name] = evaluate(*parameter.value);
            }
            ++position;
        }
        const Value outer_self = std::exchange(self_, self == nullptr ? Value() : *self);
        const std::size_t outer_item = std::exchange(item_, function.item);
        scopes_.push_back(std::move(scope));
        returned_ = {};
        execute_all(function.statement->body);
        scopes_.pop_back();
        item_ = outer_item;
        self_ = outer_self;
        return std::exchange(returned_, {});
    }

    // ---- seeds and draws --------------------------------------------------------------------------------

    Value seeded(const Expression& one, std::string_view name, const Value& object, const Values& arguments) {
        const std::string_view path = one.operands[0].source;
        const Value* const seed = argument(arguments, "seed", 0);
        Value value = object;
        const bool is_other = path.find("cuda") != std::string_view::npos || path == "random.seed" ||
                              path.find("mps") != std::string_view::npos;
        if (seed == nullptr || !seed->number || is_other) {
            return value;
        }
        if (object.stream) {
            set_seed(one, *object.stream, *seed);
        } else if (name == "manual_seed") {
            set_seed(one, of_torch, *seed);
        } else if (path.find("np.") != std::string_view::npos ||
                   path.find("numpy.") != std::string_view::npos) {
            set_seed(one, of_numpy, *seed);
        } else {  // seed_everything(123) and the like
            set_seed(one, of_torch, *seed);
            set_seed(one, of_numpy, *seed);
        }
        return value;
    }

    void set_seed(const Expression& one, std::size_t stream, const Value& seed) {
        Stream& set = streams_[stream];
        set.seed = whole(seed);
        set.drawn = 0;
        set.seed_fact = add_fact("seed", shortest_digits(*seed.number), one);
    }

    std::size_t add_fact(std::string_view parameter, std::string value, const Expression& one) {
        facts_.push_back({parameter, std::move(value), place_of(item_, one.line), line_of(item_, one.line)});
        return facts_.size() - 1;
    }

    Place place_of(std::size_t item, std::size_t line) const { return document_.items[item].place_of(line); }

    std::string line_of(std::size_t item, std::size_t line) const {
        std::string_view text = document_.items[item].text;
        for (std::size_t i = 1; i < line && !text.empty(); ++i) {
            text.remove_prefix(std::min(text.find('\n') + 1, text.size()));
        }
        text = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
        return std::string(text.substr(0, text.find_last_not_of(" \t\r") + 1));
    }

    // Notes that random numbers are drawn, of a count known from the sizes, and makes the value depend on
    // them.
    Draw& draw(Value& value, const Expression& one, std::string_view what, const Value& object,
               const Values& arguments, const std::optional<Sizes>& sizes) {
        const Value* const generator = argument(arguments, "generator", 99);
        const bool is_numpy =
            one.operands[0].source.starts_with("np.") || one.operands[0].source.starts_with("numpy.");
        const std::size_t stream = generator != nullptr && generator->stream ? *generator->stream
                                   : object.stream                           ? *object.stream
                                   : is_numpy                                ? of_numpy
                                                                             : of_torch;
        bool is_counted = sizes.has_value() && (what == "rand" || what == "Linear");
        std::size_t count = 1;
        for (const std::size_t size : sizes.value_or(Sizes{})) {
            count *= size;
        }
        const Value* const bias = argument(arguments, "bias", 2);
        const bool has_bias = bias == nullptr || bias->number != 0.0;
        if (what == "Linear" && sizes && sizes->size() == 2 && has_bias) {
            count += sizes->back();
        }
        is_counted = is_counted || (sizes && count == 0);
        Stream& drawn = streams_[stream];
        Draw made{
            what,       {}, place_of(item_, one.line), found_.runs.size() - 1, drawn.seed, stream == of_numpy,
            drawn.drawn};
        if (drawn.seed) {
            made.settings.push_back(facts_[drawn.seed_fact]);
        }
        if ((what == "Linear" || what == "rand" || what == "randn") && sizes && sizes->size() == 2) {
            const std::array<std::size_t, 2> widths{add_fact("d_in", std::to_string(sizes->front()), one),
                                                    add_fact("d_out", std::to_string(sizes->back()), one)};
            for (const std::size_t fact : widths) {
                made.settings.push_back(facts_[fact]);
                note_inner(facts_[fact].parameter, fact);
            }
            if (what == "Linear") {
                const std::size_t fact = add_fact("qkv_bias", has_bias ? "true" : "false", one);
                made.settings.push_back(facts_[fact]);
                note_inner("qkv_bias", fact);
            }
        }
        drawn.drawn = drawn.drawn && is_counted ? std::optional(*drawn.drawn + count) : std::nullopt;
        if (module_) {
            has_drawn_ = true;
            add_ids(value.draws, {*module_});
            return found_.draws[*module_];
        }
        value.draws.push_back(found_.draws.size());
        return found_.draws.emplace_back(std::move(made));
    }

    void state(Draw& made, std::string_view parameter, const Value& value, const Expression& one) const {
        if (!value.number) {
            return;
        }
        const bool is_truth = parameter == "qkv_bias";
        const std::string text =
            is_truth ? (*value.number != 0.0 ? "true" : "false") : shortest_digits(*value.number);
        const std::size_t item = value.item.value_or(item_);
        const std::size_t line = value.item ? value.line : one.line;
        add_setting(made.settings, {parameter, text, place_of(item, line), line_of(item, line)});
    }

    // nn.Dropout applied. Its mask has a seed of its own if the seed was set after the layers were drawn.
    Value dropped(const Value& module, const Values& arguments, const Expression& one) {
        Value value = merged(module, arguments);
        if (!arguments.empty()) {
            value.sizes = arguments[0].value.sizes;
        }
        Stream& stream = streams_[of_torch];
        if (*module.rate > 0.0 && stream.seed && stream.drawn == 0U) {
            const StatedSetting& seed = facts_[stream.seed_fact];
            value.facts.push_back(facts_.size());
            facts_.push_back({"dropout_seed", seed.value, seed.place, seed.source});
        }
        if (*module.rate > 0.0) {
            stream.drawn.reset();
        }
        static_cast<void>(one);
        return value;
    }

    // ---- literals ---------------------------------------------------------------------------------------

    // A tensor of numbers in nested lists.
    Value literal(const Expression& one, const Values& arguments) {
        Value value = merged({}, arguments);
        if (arguments.empty()) {
            return value;
        }
        const Value& rows = arguments[0].value;
        value.sizes = rows.sizes;
        if (!rows.elements) {
            return value;
        }
        Sizes sizes;
        std::vector<float> numbers;
        if (!flatten(rows, 0, sizes, numbers)) {
            return value;
        }
        value.sizes = sizes;
        if (sizes.size() == 2 && !value.lesson) {
            value.lesson = found_.lessons.size();
            StatedLesson& stated = found_.lessons.emplace_back();
            stated.place = place_of(rows.item.value_or(item_), rows.item ? rows.line : one.line);
            stated.lesson.embeddings = Tensor(Shape(sizes), std::move(numbers));
            stated.lesson.is_own = true;
            stated.lesson.tokens = tokens_of_rows(rows);
        }
        return value;
    }

    static bool flatten(const Value& value, std::size_t axis, Sizes& sizes, std::vector<float>& numbers) {
        if (!value.elements) {
            if (!value.number || axis != sizes.size() || numbers.size() >= max_lesson_numbers) {
                return false;
            }
            numbers.push_back(static_cast<float>(*value.number));
            return std::isfinite(numbers.back());
        }
        if (value.elements->empty() ||
            (axis == sizes.size() && (!numbers.empty() || axis == Shape::max_rank))) {
            return false;
        }
        if (axis == sizes.size()) {
            sizes.push_back(value.elements->size());
        }
        return value.elements->size() == sizes[axis] &&
               std::ranges::all_of(*value.elements, [&](const Value& part) {
                   return flatten(part, axis + 1, sizes, numbers);
               });
    }

    // Returns the tokens in the comments behind the rows, or in the keys of a dictionary.
    std::vector<std::string> tokens_of_rows(const Value& rows) const {
        std::vector<std::string> tokens;
        std::size_t last_line = 0;
        for (std::size_t i = 0; i < rows.elements->size(); ++i) {
            const Value& row = (*rows.elements)[i];
            const auto comment = comments_.find({row.item.value_or(0), row.line});
            if (rows.keys) {
                tokens.emplace_back((*rows.keys)[i].string);
            } else if (row.item && comment != comments_.end() && row.line != last_line) {
                tokens.push_back(token_in(comment->second));
            }
            last_line = row.line;
        }
        const bool is_complete =
            tokens.size() == rows.elements->size() && std::ranges::none_of(tokens, &std::string::empty);
        return is_complete ? tokens : std::vector<std::string>();
    }

    // Returns the first part of a comment: "Your" of "# Your     (x^1)".
    static std::string token_in(std::string_view comment) {
        comment.remove_prefix(std::min(comment.find_first_not_of(" \t#'\""), comment.size()));
        const std::size_t end = std::min(
            {comment.find("  "), comment.find('('), comment.find('\t'), comment.find_first_of("'\",\r")});
        comment = comment.substr(0, end);
        return std::string(comment.substr(0, comment.find_last_not_of(' ') + 1));
    }

    // Without comments, takes a list of as many words, or a sentence of as many; else counts from 0.
    void name_tokens(Lesson& lesson) const {
        const std::size_t count = lesson.embeddings.size(0);
        for (auto name = globals_.begin(); lesson.tokens.empty() && name != globals_.end(); ++name) {
            const Value words = name->second.string.empty() ? name->second : words_of(name->second);
            if (!words.elements || words.elements->size() != count || words.keys ||
                std::ranges::any_of(*words.elements, [](const Value& word) { return word.string.empty(); })) {
                continue;
            }
            for (const Value& word : *words.elements) {
                lesson.tokens.emplace_back(word.string);
            }
        }
        for (std::size_t i = 0; lesson.tokens.size() < count; ++i) {
            lesson.tokens.push_back(std::to_string(i));
        }
    }

    // ---- shown expressions ------------------------------------------------------------------------------

    void show_argument(const Expression& call, const Expression& argument, const Values& values) {
        if (argument.is(Expression::Kind::format)) {
            for (const Expression& part : argument.operands) {
                show(part, evaluate(part), &call);
            }
            return;
        }
        const auto index = static_cast<std::size_t>(&argument - call.operands.data()) - 1;
        if (!call.keywords[index].empty() || argument.is(Expression::Kind::string) ||
            index >= values.size()) {
            return;
        }
        show(argument, values[index].value, &call);
    }

    void show(const Expression& expression, const Value& value, const Expression* call) {
        if (!is_shown_) {
            return;
        }
        ShownExpression shown{executed_,   &expression,  call,       place_of(item_, expression.line),
                              value.draws, value.lesson, value.sizes};
        for (const std::size_t draw : value.draws) {
            for (const StatedSetting& setting : found_.draws[draw].settings) {
                add_setting(shown.settings, setting);
            }
        }
        for (const std::size_t fact : value.facts) {
            add_setting(shown.settings, facts_[fact]);
        }
        found_.shown.push_back(std::move(shown));
    }

    const Document& document_;
    DocumentSettings& found_;
    std::size_t executed_ = 0;  // the item whose run this is
    std::size_t item_ = 0;      // the item with the code that runs, perhaps of a function
    bool is_shown_ = true;
    std::size_t work_ = 0;
    Members globals_;
    std::vector<Members> scopes_;  // of the functions that run
    Value returned_;
    Value self_;                                // of the method that runs
    const Definition* method_owner_ = nullptr;  // the class where `super()` begins
    std::map<std::string_view, std::string_view> imported_;
    std::vector<std::unique_ptr<Definition>> definitions_;
    std::map<std::pair<std::size_t, std::size_t>, std::string_view> comments_;
    std::vector<Stream> streams_ = std::vector<Stream>(2);
    std::vector<StatedSetting> facts_;
    std::optional<std::size_t> module_;  // the draw of the module that is constructed
    bool has_drawn_ = false;             // the module has drawn numbers
    Ids inner_;                          // facts of its layers
};

}  // namespace

DocumentSettings read_settings(const Document& document) {
    DocumentSettings found;
    Interpreter(document, found).run();
    return found;
}

}  // namespace attn
