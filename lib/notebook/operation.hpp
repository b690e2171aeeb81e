// Each operation is described by one row. Its code lines, formula, explanation, gradient and colours all come
// from this row, so they cannot contradict each other.
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
#include <vector>

#include "notebook/expression.hpp"
#include "tensor/random.hpp"
#include "tensor/tensor.hpp"

namespace attn {

struct Backward;
struct Operation;
struct Var;

// An argument of a call that is not an operand: `dim=-1`, `p=0.5`, a list of sizes.
struct Attribute {
    std::string_view name;
    std::vector<Number> values;
};

// The attributes of a call. Copies share them, because a recorded call never changes.
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
    std::uint64_t drawn = 0;                       // 32-bit draws since it was seeded
    std::optional<double> pending = std::nullopt;  // the second number of a pair, which is returned next

    bool operator==(const Draws&) const = default;
};

// One use of an operation on nodes of the notebook.
struct Call {
    const Operation* operation = nullptr;
    std::vector<std::size_t> inputs;
    Attributes attributes;
    Draws draws = {};  // the generator's state before the call

    // Returns an attribute's number, or nullptr when the call has none of that name.
    const Number* find(std::string_view name) const;
    bool has(std::string_view name) const { return find(name) != nullptr; }
    // Return an attribute that the call must have. They throw std::logic_error when it is missing.
    const Number& number(std::string_view name) const { return numbers(name).at(0); }
    const std::vector<Number>& numbers(std::string_view name) const;
    double value(std::string_view name) const { return number(name).value(); }
    int integer(std::string_view name) const { return static_cast<int>(value(name)); }
    std::size_t size(std::string_view name) const { return static_cast<std::size_t>(value(name)); }
    std::vector<std::size_t> sizes(std::string_view name) const;
    // The attribute "size" as a shape.
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

// A property of calls: either one value for all calls, or a function of the call.
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
// `{data}` the numbers of the result, `{operands}` all operands. `{dim?, dim={dim}}` appears only if the call
// has the attribute, `{dim!.T}` only if it has not. `{{` and `}}` are braces. A pattern with `{name}`, the
// name of the result, is a whole statement.
struct Syntax {
    std::string pattern;
    Binding binding = Binding::atom;
    // Statements that must run once before all others: an import, or the names of files in
    // data/python/<language>/.
    std::string_view setup;

    Syntax(std::string reads = {}, Binding holds = Binding::atom, std::string_view needs = {})
        : pattern(std::move(reads)), binding(holds), setup(needs) {}
    Syntax(const char* reads) : pattern(reads) {}
    Syntax(const char* reads, std::string_view needs) : pattern(reads), setup(needs) {}

    bool is_statement() const {
        return binding == Binding::statement || pattern.find("{name}") != std::string::npos;
    }
};

// The building blocks of a formula: the call's operands and attributes.
class FormulaOf : public Arguments {
public:
    // Returns an operand's symbol, either for the whole tensor or for one cell.
    using Read = std::function<Expr(std::size_t operand, bool as_cell)>;

    // `as_cell`: the formula is for one cell of the result.
    FormulaOf(const Arguments& of, bool as_cell, Read read)
        : Arguments(of), as_cell_(as_cell), read_(std::move(read)) {}

    Expr whole(std::size_t operand) const { return read_(operand, false); }
    // Returns the symbol of one cell. The formula is then written for one cell: M_ij = …
    Expr cell(std::size_t operand);
    // Returns a cell if the formula is for one cell, and otherwise the whole operand.
    Expr same(std::size_t operand);
    // Returns the symbols of all operands.
    std::vector<Expr> all() const;
    const Expr& number(std::string_view attribute) const { return call.number(attribute); }
    const std::vector<Expr>& numbers(std::string_view attribute) const { return call.numbers(attribute); }

    bool uses_indices() const { return uses_indices_; }
    // Returns false if a cell of the result can only be written as the whole formula in brackets with an
    // index.
    bool can_use_indices() const { return uses_indices_ || adapts_to_indices_; }

private:
    bool as_cell_;
    Read read_;
    bool uses_indices_ = false;
    bool adapts_to_indices_ = false;
};

// The terms of an elementwise operation: operands by number, attributes by name. One expression of them gives
// both the formula and the arithmetic of a cell.
struct Terms {
    std::function<Expr(std::size_t)> operand;
    std::function<Expr(std::string_view)> attribute;

    Expr operator()(std::size_t which) const { return operand(which); }
    Expr operator()(std::string_view name) const { return attribute(name); }
};

// The grad_fn of a call that returns operand 0 unchanged.
inline constexpr std::string_view same_grad_fn = "=";

// An intermediate line in the explanation of a cell.
struct Part {
    std::string_view id;  // the kind of part: a key of data/narration/
    Index index;          // the cell of operand 0 that the part explains, if any
    Expr arithmetic;
};

// A named fact for the sentence of a reason: a number or text.
struct Fact {
    std::string_view name;
    Leaf number;
    std::string text;
};

// A reason beyond the arithmetic: the mask's rule, the draw that decided, the place of a number. The sentence
// is in data/narration/, under the id.
struct Reason {
    std::string_view id;  // a key of data/narration/; empty: there is no reason
    std::vector<Fact> facts = {};
    bool lasts = false;  // the reason also applies to what is computed from the cell
};

// How one number of the result was computed: arithmetic on cells of the call's operands and on the call's
// numbers. If intermediate results help, they are the parts, in order; later arithmetic can refer to each as
// a line.
struct Explanation {
    Expr arithmetic;
    std::vector<Part> parts = {};
    Reason reason = {};
};

// The building blocks of a cell's arithmetic: the cell of each operand that broadcasting pairs with it, and
// attributes of the call.
struct CellOf : Arguments {
    const Tensor& result;
    const Index& cell;

    Expr operator()(std::size_t operand) const;
    Expr operator()(std::string_view attribute) const;
    // Returns the number in the operand's cell.
    float value(std::size_t operand) const;
};

// The kind of value a call returns: a tensor, a boolean tensor, a number of the program, a layer, a
// generator, NumPy's global random state, or autograd's recording mode.
enum class Returns { tensor, truths, scalar, layer, generator, random_state, grad_mode };

// The condition under which a result is known to contain no negative number.
enum class Sign {
    of_operands,  // no operand contains a negative number, and the attribute `value` is not negative
    of_followed,  // the operand that its cells follow contains no negative number, and the attribute `value`
                  // is not negative
    never_negative,  // no condition: no result is negative
    any,             // there is no such condition
};

// A cell's meaning besides its number.
enum class CellKind : std::uint8_t {
    number,
    masked,   // hidden by a mask, here or earlier: -inf, or the 0 that it became
    dropped,  // set to 0 by dropout
};

// For each axis, the distance in memory between neighbours.
using Strides = std::vector<std::size_t>;

// Explains a cell with its row: `explain`, `factors` (at most the first products), `cells` or `function`, or
// as the cell of the operand that it follows. Without any of them, the number is its own explanation.
Explanation explanation_of(const CellOf& x,
                           std::size_t most_products = std::numeric_limits<std::size_t>::max());

// One row of the table. It contains only what does not follow from its other fields. An operation with a
// `function` or with `cells` is elementwise. Without a pattern, the code calls a function with the
// operation's name; autograd's function has this name by default, too.
struct Operation {
    std::string_view name;
    Tensor (*evaluate)(const Arguments& x) = nullptr;  // null: the numbers come from outside
    PerCall<Syntax> torch = {};
    PerCall<Syntax> numpy = {};  // only if NumPy's code differs from PyTorch's
    PerCall<Syntax> cpp = {};
    // None: the formula of `cells` or `function`, or no formula.
    Expr (*formula)(FormulaOf& x) = nullptr;
    // The index of a result's cell in a formula.
    PerCall<std::string_view> cell_index = "ij";
    // The name of autograd's function, if it is not the operation's, as MaskedFillBackward0 is masked_fill's.
    // Empty text: no gradient passes.
    PerCall<std::string_view> grad_fn = {};
    // Records the gradient of an operand, given that of the result. It is called only for an operand that
    // requires a gradient. None: the gradient is not known.
    Var (*gradient)(const Backward& y, std::size_t operand) = nullptr;
    // The operator of an elementwise operation. An infix operator also gives the code in Python.
    Operator function = Operator::leaf;
    // The expression of an elementwise operation, if it takes more than one operator.
    Expr (*cells)(const Terms& x) = nullptr;
    // For a cell that is a sum of products along the last axis of operand 0: returns the cells of operands 0
    // and 1 in the k-th product.
    std::pair<Index, Index> (*factors)(const CellOf& x, std::size_t k) = nullptr;
    Explanation (*explain)(const CellOf& x) = nullptr;

    // The operand whose cells correspond one by one to the result's cells. Nothing: the only operand, if the
    // operation is elementwise.
    std::optional<std::size_t> follows = std::nullopt;
    Sign sign = Sign::of_operands;
    // Returns the meaning that the call gives a cell; `factor` is the meaning of a product with a 0 of
    // operand 1. None: the call hides no cell.
    CellKind (*hides)(const CellOf& x, CellKind factor) = nullptr;
    // The meaning of a product with a 0 of this result: masked or dropped.
    CellKind zero = CellKind::number;
    // For a view of operand 0: returns the strides of the result, or nothing if this call must copy. Throws
    // Error for a view that the operand's strides do not allow. None: the result has its own memory.
    std::optional<Strides> (*strides)(const CellOf& first, const Strides& operand) = nullptr;
    bool rearranges = false;  // only changes order or shape, not the numbers
    bool draws = false;       // the numbers are random
    bool parameter = false;   // the result is a torch.nn.Parameter
    // The default of the attribute `requires_grad` of a call: whether training changes the result.
    bool requires_grad = false;
    Returns returns = Returns::tensor;

    // Returns the pattern of a call's code.
    Syntax syntax(Language language, const Arguments& x) const;
    // Returns the name of autograd's function; empty for a leaf and if no gradient passes.
    std::string autograd_name(const Arguments& x) const;
    std::optional<std::size_t> followed(const Call& call) const;
    // Returns the expression of an elementwise operation.
    Expr expression(const Terms& x, std::size_t operands) const;
    bool is_elementwise() const { return function != Operator::leaf || cells != nullptr; }
    bool is_given() const { return evaluate == nullptr; }
    bool seeds() const { return returns == Returns::generator || returns == Returns::random_state; }
    // Returns true for a tensor or a single number.
    bool is_tensor() const { return returns <= Returns::scalar; }
};

}  // namespace attn
