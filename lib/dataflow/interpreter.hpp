// Evaluates statements and expressions in the order of execution. Unsupported code gives an unknown value,
// and so does everything that depends on it. Each group of members has a file of its own.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dataflow/draws.hpp"
#include "dataflow/indexing.hpp"
#include "dataflow/recorder.hpp"
#include "dataflow/value.hpp"
#include "documents/python_code.hpp"

namespace attn::flow {

using python::Expression;
using python::Statement;
using Kind = Value::Kind;
using Names = std::map<std::string, Value, std::less<>>;

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
    std::vector<std::size_t> bases{};    // of a class
    std::optional<std::size_t> owner{};  // of a method

    bool is_class() const { return statement->kind == Statement::Kind::class_; }
};

class Interpreter : public Recorder {
public:
    Interpreter(const Document& document, const std::vector<python::Code>& code,
                const DataflowOptions& options)
        : Recorder(document, options), code_(code) {}

    // ---- cells.cpp: the cells in the order of execution --------------------------------------------------

    Dataflow run();

    // ---- statements.cpp ---------------------------------------------------------------------------------

    void execute(const Statement& statement);
    void execute_all(const std::vector<Statement>& statements);

    // ---- expressions.cpp --------------------------------------------------------------------------------

    Value evaluate(const Expression& of);
    Value operate(std::string_view sign, const Value& a, const Value& b);
    // The truth of a condition; empty if it is unknown.
    std::optional<bool> truth_of(const Value& value) const;
    // The items of a list, the keys of a dictionary, the rows of a tensor.
    std::vector<Value> iterated(const Value& value);
    Value attribute_of(const Value& of, const std::string& name);

    // ---- names.cpp --------------------------------------------------------------------------------------

    void assign(const Expression& target, const Value& value);
    // Gives a variable, an attribute or a part the value that it has after a change in place.
    void change(const Expression& of, const Value& value);
    // The variables that statements assign to now.
    Names& names() { return state_.scope ? state_.scope->names : globals_; }

    // ---- calls.cpp --------------------------------------------------------------------------------------

    Value call(const Value& callee, Arguments arguments);
    Value call_method(const Value& object, const std::string& method, Arguments arguments);
    // A function of a library by its dotted name.
    Value call_library(const std::string& path, Arguments arguments);
    // A function of tensors.
    Value call_function(std::string name, Arguments arguments);
    // The parts of a tensor along an axis.
    std::vector<Value> unbound(const Value& x, const Value& dim);

    // ---- definitions.cpp: functions and classes of the document -------------------------------------------

    Value define(const Statement& statement);
    Value call_definition(const Value& function, Arguments arguments);
    // A method or variable of a class or its bases, or null.
    const Value* member_of(std::size_t type, std::string_view name) const;
    // A method of an object, or the value of its property.
    Value bound(Value member, const std::shared_ptr<Object>& object);

    // ---- objects.cpp: modules ----------------------------------------------------------------------------

    Value make_object(std::string type, std::optional<std::size_t> definition = {});
    Value call_object(const Value& object, const std::string& method, const Arguments& arguments);
    // All attributes of a module and of the modules in it, with their dotted names.
    std::vector<std::pair<std::string, Value>> attributes_of(const Object& object);

    // ---- random.cpp --------------------------------------------------------------------------------------

    // Calls a function that seeds, draws, or makes a generator; empty for others.
    std::optional<Value> call_random(const std::string& name, const std::string& path,
                                     const Given& arguments);
    Value drawn(const Draw& draw, Stream& stream);
    std::optional<Value> draw_from(Stream& stream, const std::string& name, bool is_numpy,
                                   const Given& arguments);
    Value drop(const Value& x, double p);
    void seed(Stream& stream, double number) const;

    // ---- shown.cpp: what the outputs show
    // ------------------------------------------------------------------

    void show(const Expression& of);

    Stream torch{};
    Stream numpy{};

    // The state of a running function.
    struct State {
        std::shared_ptr<Scope> scope{};              // null outside of functions
        std::shared_ptr<Object> self{};              // the object whose method runs
        std::optional<std::size_t> running_class{};  // the class that has this method
        std::string_view jump{};                     // break or continue, until the loop ends
        std::optional<Value> returned{};
    };
    const State& state() const { return state_; }
    bool imports_torch() const { return has_torch_; }

private:
    // cells.cpp
    void run_item(std::size_t item);
    bool run_earlier(std::string_view name);
    std::vector<std::pair<std::size_t, std::size_t>> order() const;
    bool is_run_twice(std::size_t item) const;

    // statements.cpp
    void assign_all(const Statement& statement);
    void augment(const Statement& statement);
    void loop(const Statement& statement);
    bool runs_on(const std::vector<Statement>& body);
    void separate_changed(const Statement& statement, std::string_view name);

    // expressions.cpp
    Value evaluate_unary(const Expression& of);
    Value formatted(const Expression& of);
    Value comprehended(const Expression& of);
    Value lambda_of(const Expression& of);

    // names.cpp
    Value* local(std::string_view name) const;
    Value lookup(const std::string& name, const Expression& at);
    bool assume(const std::string& name);
    void assign_part(const Expression& target, const Value& value);

    // parts.cpp
    Value part(const Value& of, const Expression& index);
    std::optional<Selected> selected_by(const Shape& shape, const Expression& index);
    std::optional<IndexPart> index_part(const Expression& of);
    std::optional<Tensor> mask_of(const Shape& shape, const Expression& index);

    // calls.cpp
    Value called(const Expression& of);
    Arguments arguments_of(const Expression& call);
    Value inherited(const std::string& method, Arguments arguments);

    // definitions.cpp
    Value construct(std::size_t type, Arguments arguments);
    const Value* find_member(std::size_t type, std::string_view name, std::set<std::size_t>& seen) const;

    // shown.cpp
    void show_last(const Expression& of);
    void show_value(const Value& value, const Expression& of);
    void adopt(Shown& shown, const PrintedValue& printed, const Value& value, const Expression& of);

    const std::vector<python::Code>& code_;
    Names globals_{};
    State state_{};
    std::vector<Definition> definitions_{};
    std::list<Statement> lambdas_{};
    std::vector<std::shared_ptr<Object>> objects_{};
    std::string_view decorator_{};  // of the next definition
    Value last_{};
    bool has_torch_ = false;                         // the document imports it
    std::set<std::string, std::less<>> assigned_{};  // names that it gives a value anywhere

    // The cells.
    std::set<std::size_t> has_run_{};  // items
    // For each name, the notebook's cells with a number that give it a value, the first one last.
    std::map<std::string, std::vector<std::size_t>, std::less<>> items_of_{};
    std::size_t running_ = 0;  // the item that runs; its output has what functions of other items print
    bool is_again_ = false;    // the item runs more than once
    bool is_silent_ = false;   // its output is that of a later run

    // Numbers and tensors that top-level assignments gave to variables, and those that a loop overwrote.
    std::map<std::string, Place, std::less<>> plain_{};
    std::map<std::string, Overwritten, std::less<>> overwritten_{};
    std::size_t loops_ = 0;
};

// A function of a library by its dotted name, or a constant.
Value of_library(std::string path);

// ---- tables of functions and methods
// ------------------------------------------------------------------------

// A call of a function, or of a method of `self`, with the arguments `of`.
struct Call {
    Interpreter& in;
    std::string_view name;  // without its path
    std::string_view path;
    const Given& of;
    Value self{};
    const Expression* expression = nullptr;  // of self

    // The items of the first argument.
    std::vector<Value> items() const { return in.iterated(of.first()); }
};

// Empty if a table has no such function, or not for these arguments.
using Result = std::optional<Value>;
using Rows = std::map<std::string_view, Result (*)(const Call&)>;

inline Result called(const Rows& rows, std::string_view name, const Call& call) {
    const auto found = rows.find(name);
    return found == rows.end() ? std::nullopt : found->second(call);
}

Result call_python(const Call& call);        // Python's own functions
Result call_special(const Call& call);       // functions of libraries that are more than a tensor of tensors
Result call_value_method(const Call& call);  // methods of texts, lists and dictionaries
Result call_module_method(const Call& call);

// Calls a method of a tensor or number, which is the first argument.
Value call_tensor_method(Interpreter& in, const std::string& method, Arguments arguments);

// Constructs a layer; returns nothing if it is not in the table.
std::optional<Value> make_layer(Interpreter& in, const std::string& name, const Given& arguments);

// Applies a layer to a tensor.
Value apply_layer(Interpreter& in, const Value& layer, const Value& x);

}  // namespace attn::flow
