// One row describes each operation. Code lines, formula, explanation, gradient and colours all come from this
// row, so they cannot contradict each other.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "notebook/expression.hpp"
#include "tensor/random.hpp"
#include "tensor/strided.hpp"
#include "tensor/tensor.hpp"
#include "text/lists.hpp"

namespace attn {

struct Backward;
struct Operation;
struct Var;

// An argument of a call other than its operands: `dim=-1`, `p=0.5`, or a list of sizes.
struct Attribute {
    Attribute(std::string_view called, std::vector<Number> numbers)
        : name(called), values(std::move(numbers)) {}
    Attribute(std::string_view called, Number number) : Attribute(called, std::vector{std::move(number)}) {}
    Attribute(std::string_view called, std::integral auto number) : Attribute(called, literal(number)) {}
    Attribute(std::string_view called, bool is_true) : Attribute(called, truth(is_true)) {}

    std::string_view name;
    std::vector<Number> values;
};

// The attributes of a call. Copies share the same memory, because a recorded call never changes.
class Attributes {
public:
    Attributes() = default;
    Attributes(std::vector<Attribute> all)
        : all_(all.empty() ? nullptr : std::make_shared<const std::vector<Attribute>>(std::move(all))) {}
    Attributes(std::initializer_list<Attribute> all) : Attributes(std::vector<Attribute>(all)) {}

    const Attribute* begin() const { return all_ ? all_->data() : nullptr; }
    const Attribute* end() const { return all_ ? all_->data() + all_->size() : nullptr; }

    // Returns the ids of the named tensors and numbers in these expressions.
    std::vector<std::size_t> nodes() const;

    // Returns a copy with one number replaced.
    Attributes with(std::string_view name, const Number& number) const;

private:
    std::shared_ptr<const std::vector<Attribute>> all_;
};

// The state of the notebook's generator.
struct Draws {
    std::uint64_t seed = 0;
    std::uint64_t drawn = 0;  // how many 32-bit numbers were drawn since seeding
    // The second normal number of a pair, which is returned next.
    std::optional<double> pending = std::nullopt;

    bool operator==(const Draws&) const = default;
};

// One use of an operation on nodes of the notebook.
struct Call {
    const Operation* operation = nullptr;
    std::vector<std::size_t> inputs;
    Attributes attributes;
    Draws draws = {};  // the generator's state before the call

    // Returns the number of an attribute; null if the call has no such attribute.
    const Number* find(std::string_view name) const;
    bool has(std::string_view name) const { return find(name) != nullptr; }
    // These return an attribute that must exist; otherwise they throw std::logic_error.
    const Number& number(std::string_view name) const { return numbers(name).at(0); }
    const std::vector<Number>& numbers(std::string_view name) const;
    double value(std::string_view name) const { return number(name).value(); }
    int integer(std::string_view name) const { return int(value(name)); }
    std::size_t size(std::string_view name) const { return std::size_t(value(name)); }
    std::vector<std::size_t> sizes(std::string_view name) const;
    // Returns the attribute "size" as a shape.
    Shape shape() const { return Shape(sizes("size")); }
};

using Operands = std::span<const Tensor* const>;

// A call and its operands.
struct Arguments {
    const Call& call;
    Operands operands;
    Generator* generator = nullptr;  // the notebook's generator; only `evaluate` uses it

    const Tensor& operator[](std::size_t operand) const { return *operands[operand]; }
    std::vector<Tensor> copies() const;
};

// A property of calls: the same value for all calls, or a function of the call.
template <typename T>
class PerCall {
public:
    using Function = T (*)(const Arguments&);

    template <typename... Parts>
    requires std::constructible_from<T, Parts...>
    constexpr PerCall(Parts... parts) : same_(parts...), is_empty_(sizeof...(parts) == 0) {}
    template <std::convertible_to<Function> Of>
    constexpr PerCall(Of of) : of_(of) {}

    bool is_empty() const { return is_empty_; }  // true if the property is not defined

    T operator()(const Arguments& x) const { return of_ == nullptr ? same_ : of_(x); }

private:
    T same_{};
    Function of_ = nullptr;
    bool is_empty_ = false;
};

// The pattern of an operation's code in one language. `{0}` is the first operand, `{dim}` an attribute,
// `{data}` the numbers of the result, `{operands}` all operands. The text in `{dim?, dim={dim}}` appears only
// if the call has the attribute `dim`; the text in `{dim!.T}`, only if it does not. `{{` and `}}` are braces.
// A pattern that contains `{name}`, the name of the result, is a complete statement.
struct Syntax {
    std::string pattern;
    Binding binding = Binding::atom;
    // Code that must run once at the beginning: an import, or files of data/python/<language>/ by name.
    std::string_view setup;

    Syntax(std::string reads = {}, Binding holds = Binding::atom, std::string_view needs = {})
        : pattern(std::move(reads)), binding(holds), setup(needs) {}
    Syntax(const char* reads) : pattern(reads) {}
    Syntax(const char* reads, std::string_view needs) : pattern(reads), setup(needs) {}

    bool is_statement() const { return binding == Binding::statement || contains(pattern, "{name}"); }
};

// The building blocks of a formula: the call's operands and attributes. Operands are placeholders until it is
// known whether the formula is for a whole tensor, M = …, or for one cell, M_ij = …
struct FormulaOf : Arguments {
    Expr whole(std::size_t operand) const { return placeholder(operand, Leaf::From::whole_operand); }
    // The formula is then written for one cell.
    Expr cell(std::size_t operand) const { return placeholder(operand, Leaf::From::operand_cell); }
    // A cell of the operand if the formula is for one cell, otherwise the whole operand.
    Expr same(std::size_t operand) const { return placeholder(operand, Leaf::From::operand); }
    // All operands, whole.
    std::vector<Expr> all() const;
    const Expr& number(std::string_view attribute) const { return call.number(attribute); }
    const std::vector<Expr>& numbers(std::string_view attribute) const { return call.numbers(attribute); }
};

// The formula of a call: an expression, or the name of a function of operand 0, softmax(X).
class Formula {
public:
    Formula() = default;
    template <std::convertible_to<Expr (*)(const FormulaOf&)> Of>
    Formula(Of of) : of_(of) {}
    Formula(const char* function) : function_(function) {}

    bool is_empty() const { return of_ == nullptr && function_.empty(); }
    Expr operator()(const FormulaOf& x) const {
        return of_ == nullptr ? applied(letter(function_), {x.whole(0)}) : of_(x);
    }

private:
    Expr (*of_)(const FormulaOf& x) = nullptr;
    std::string_view function_;
};

// The terms of an elementwise operation. Operands are known by number, attributes by name. The expression
// built from them is both the formula and the arithmetic of a cell.
struct Terms {
    std::function<Expr(std::size_t)> operand;
    std::function<Expr(std::string_view)> attribute;

    Expr operator()(std::size_t which) const { return operand(which); }
    Expr operator()(std::string_view name) const { return attribute(name); }
};

// The name of autograd's function; empty if no gradient passes. A call that returns operand 0 itself has none
// of its own, and keeps the operand's.
using GradFn = std::optional<std::string_view>;
inline constexpr GradFn of_operand = std::nullopt;

// An intermediate line in the explanation of a cell.
struct Part {
    std::string_view id;  // the kind of the line: a key of explanation.json
    Index index;          // the cell of operand 0 that the part explains, if any
    Expr arithmetic;
};

// A named fact for the sentence of a reason: a number or text.
struct Fact {
    std::string_view name;
    Leaf number;
    std::string text;
};

// A reason that arithmetic does not show: the rule of a mask, a random draw, or the origin of a number. Its
// sentence is in data/narration/.
struct Reason {
    std::string_view id;  // a key of data/narration/; empty: there is no reason
    std::vector<Fact> facts = {};
    bool lasts = false;  // cells that are computed from this cell show the reason, too
};

// How one number of the result was computed: arithmetic on cells of the call's operands and on the call's
// numbers. The parts are intermediate results; later arithmetic can refer to each as a line.
struct Explanation {
    Expr arithmetic;
    std::vector<Part> parts = {};
    Reason reason = {};
};

// The building blocks of a cell's arithmetic: the operands' cells that broadcasting pairs with this cell, and
// attributes of the call.
struct CellOf : Arguments {
    const Tensor& result;
    const Index& cell;

    Expr operator()(std::size_t operand) const;
    Expr operator()(std::string_view attribute) const;
    // Returns the number in the operand's cell.
    float value(std::size_t operand) const;
};

// The kind of result of a call: a tensor, a boolean tensor, a number of the program, a layer, a generator,
// NumPy's global random state, or autograd's mode.
enum class Returns { tensor, truths, scalar, layer, generator, random_state, grad_mode };

// A cell's meaning besides its number.
enum class CellKind : std::uint8_t {
    number,
    masked,   // hidden by a mask, in this step or before it: -inf, or 0 after softmax
    dropped,  // set to 0 by dropout
};

// How a cell of a result follows from cells of the operands. One of four kinds:

// An expression of the operands' cells at the same place. It is the formula, the explanation, and the check
// in double precision. An infix operator also gives the code in Python.
struct Elementwise {
    constexpr Elementwise(Operator of_operands) : function(of_operands) {}
    constexpr Elementwise(Expr (*of_terms)(const Terms& x)) : cells(of_terms) {}

    Expr expression(const Terms& x, std::size_t operands) const;

    Operator function = Operator::leaf;       // one operator, applied to all operands
    Expr (*cells)(const Terms& x) = nullptr;  // more than one operator
};

// A sum of products along the last axis of operand 0. `factors` returns the cells of operands 0 and 1 in the
// k-th product.
struct Products {
    std::pair<Index, Index> (*factors)(const CellOf& x, std::size_t k);
};

// A cell of an operand.
struct Source {
    std::size_t operand;
    Index index;
};

// A number that was moved; without a source, it is a new 0.
struct Moved : CellOf {
    std::optional<Source> from;
};

// Each number of the result is a number of an operand, or a new 0. Evaluating the call on positions instead
// of numbers shows which one.
struct Moves {
    Reason (*reason)(const Moved& x) = nullptr;  // if empty, there is no reason
};

// Any other arithmetic, or the reason of a number that was drawn.
struct Explained {
    Explanation (*explain)(const CellOf& x);
};

// The hidden cells of a result, and the operand whose hidden cells it keeps.
struct Marks {
    // The operand whose cells correspond one by one to the result's cells. If empty: the only operand of an
    // elementwise operation.
    std::optional<std::size_t> follows = std::nullopt;
    // Returns the meaning that the call gives a cell; `factor` is the meaning of a product with a 0 of
    // operand 1. If empty, the call hides no cell.
    CellKind (*hides)(const CellOf& x, CellKind factor) = nullptr;
    // The meaning of a cell that is 0 because it was multiplied by a 0 of this result: masked or dropped.
    CellKind zero = CellKind::number;
};

// Training changes tensors with requires_grad (leaf), such as each torch.nn.Parameter, and no others.
enum class Trained { no, leaf, parameter };

// The sources of the numbers that a call moves. The call is evaluated once, on positions that are counted
// from 1 through all operands; a 0 of its result has no source.
class Sources {
public:
    std::optional<Source> of(const CellOf& x);

private:
    std::optional<Tensor> positions_;
};

// Explains a cell by the row's `cells` (of a sum of products, at most the first), or by the operand's cell
// that it follows. If the row has neither, the number explains itself. `sources` belongs to the call, and
// can be used again for its other cells.
Explanation explanation_of(const CellOf& x, Sources& sources,
                           std::size_t most_products = std::numeric_limits<std::size_t>::max());

// One row of the table. A field is empty if it follows from the others. Without a pattern, the code calls a
// function with the operation's name; autograd's function has this name by default, too.
struct Operation {
    std::string_view name;
    Tensor (*evaluate)(const Arguments& x) = nullptr;  // null: the numbers come from outside
    Syntax torch = {};
    Syntax numpy = {};  // only if NumPy's code differs from PyTorch's
    Syntax cpp = {};
    // If empty: the formula of an elementwise operation, or no formula.
    Formula formula = {};
    // The index of a result's cell in a formula.
    PerCall<std::string_view> cell_index = "ij";
    // Only if the name is not made from the operation's name, as MaskedFillBackward0 is.
    PerCall<GradFn> grad_fn = {};
    // Records the gradient of an operand, given the gradient of the result. It is called only for operands
    // that require a gradient. If empty, the gradient is unknown.
    Var (*gradient)(const Backward& y) = nullptr;
    std::variant<std::monostate, Elementwise, Products, Moves, Explained> cells = {};
    Marks marks = {};
    // For a view of operand 0: returns the strides of a result of this shape, or nothing if this call must
    // copy. Throws Error for a view that the operand's strides do not allow. If empty, the result has its own
    // memory.
    std::optional<Strides> (*strides)(const Arguments& x, const Strides& operand,
                                      const Shape& result) = nullptr;
    bool draws = false;  // the numbers are random
    Trained trained = Trained::no;
    Returns returns = Returns::tensor;

    // These record a call, on operands of the same notebook: relu(x).
    Var operator()(const std::vector<Var>& operands, Attributes attributes = {}) const;
    template <std::same_as<Var>... Operands>
    Var operator()(Var first, Operands... others) const;

    // Returns the pattern of a call's code.
    Syntax syntax(Language language, const Call& call) const;
    // Returns the name of autograd's function: empty for a leaf and if no gradient passes, `of_operand` for a
    // call that returns operand 0 itself.
    std::optional<std::string> autograd_name(const Arguments& x) const;
    std::optional<std::size_t> followed(const Call& call) const;
    const Elementwise* elementwise() const { return std::get_if<Elementwise>(&cells); }
    bool is_parameter() const { return trained == Trained::parameter; }
    bool is_given() const { return evaluate == nullptr; }
    bool seeds() const { return returns == Returns::generator || returns == Returns::random_state; }
    // Returns true for a tensor or a single number.
    bool is_tensor() const {
        return returns == Returns::tensor || returns == Returns::truths || returns == Returns::scalar;
    }
    // Returns true for a generator, random state or mode, which later calls change.
    bool is_state() const { return seeds() || returns == Returns::grad_mode; }
};

}  // namespace attn
