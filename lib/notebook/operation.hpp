// One row per operation: everything there is to know about it. The code line, the formula, the explanation,
// the number of a step and its colours all come from the row of its operation, so they cannot drift apart.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
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

// All of them. Copies share them, for nobody changes those of a call that was recorded.
class Attributes {
public:
    Attributes() = default;
    Attributes(std::vector<Attribute> all)
        : all_(all.empty() ? nullptr : std::make_shared<const std::vector<Attribute>>(std::move(all))) {}
    Attributes(std::initializer_list<Attribute> all) : Attributes(std::vector<Attribute>(all)) {}

    const Attribute* begin() const { return all_ ? all_->data() : nullptr; }
    const Attribute* end() const { return all_ ? all_->data() + all_->size() : nullptr; }

    // The named tensors and numbers that their numbers mention.
    std::vector<std::size_t> nodes() const;

    // The same, one of which is another number.
    Attributes with(std::string_view name, const Number& number) const;

private:
    std::shared_ptr<const std::vector<Attribute>> all_;
};

// Where the notebook's generator stood.
struct Draws {
    std::uint64_t seed = 0;
    std::uint64_t drawn = 0;                       // numbers of 32 bits since it was seeded
    std::optional<double> pending = std::nullopt;  // the second number of a pair, which is handed out next

    bool operator==(const Draws&) const = default;
};

// One application of an operation to nodes of the notebook.
struct Call {
    const Operation* operation = nullptr;
    std::vector<std::size_t> inputs;
    Attributes attributes;
    Draws draws = {};  // before it was evaluated

    // The number of an attribute; nullptr when the call has none of that name.
    const Number* find(std::string_view name) const;
    bool has(std::string_view name) const { return find(name) != nullptr; }
    // The same of an attribute that the call must have. Throw std::logic_error when it has not.
    const Number& number(std::string_view name) const { return numbers(name).at(0); }
    const std::vector<Number>& numbers(std::string_view name) const;
    double value(std::string_view name) const { return number(name).value(); }
    int integer(std::string_view name) const { return static_cast<int>(value(name)); }
    std::size_t size(std::string_view name) const { return static_cast<std::size_t>(value(name)); }
    // The attribute "size" as a shape.
    Shape shape() const;
};

using Operands = std::span<const Tensor* const>;

// A property of calls: the same for all, or a function of the call.
template <typename T>
class PerCall {
public:
    using Function = T (*)(const Call&, Operands);

    template <typename... Parts>
    requires std::constructible_from<T, Parts...>
    constexpr PerCall(Parts... parts) : same_(parts...), is_empty_(sizeof...(parts) == 0) {}
    template <std::convertible_to<Function> Of>
    constexpr PerCall(Of of) : of_(of) {}

    bool is_empty() const { return is_empty_; }  // nothing is said

    T operator()(const Call& call, Operands operands) const {
        return of_ == nullptr ? same_ : of_(call, operands);
    }

private:
    T same_{};
    Function of_ = nullptr;
    bool is_empty_ = false;
};

// How an operation reads in one language: `{0}` is the first operand, `{dim}` an attribute, `{data}` the
// numbers of the result, `{operands}` all operands; `{dim?, dim={dim}}` is a piece that stands only where the
// call has the attribute; `{{` and `}}` are braces. A pattern that mentions `{name}`, the name of the result,
// is a whole statement.
struct Syntax {
    std::string_view pattern;
    Binding binding = Binding::atom;
    // Statements it needs once, before all others: an import, or the names of files in
    // data/python/<language>/.
    std::string_view setup;

    constexpr Syntax(std::string_view reads = {}, Binding holds = Binding::atom, std::string_view needs = {})
        : pattern(reads), binding(holds), setup(needs) {}
    constexpr Syntax(const char* reads) : pattern(reads) {}
    constexpr Syntax(std::string_view reads, std::string_view needs) : pattern(reads), setup(needs) {}

    bool is_statement() const {
        return binding == Binding::statement || pattern.find("{name}") != std::string_view::npos;
    }
};

// The material of a call's formula: its operands and attributes.
class FormulaOf {
public:
    // An operand in a formula, as a whole or as one cell.
    using Read = std::function<Expr(std::size_t operand, bool as_cell)>;

    // `as_cell`: the call itself stands as one cell in a formula about cells.
    FormulaOf(const Call& of, Operands on, bool as_cell, Read read)
        : call(of), operands(on), as_cell_(as_cell), read_(std::move(read)) {}

    const Call& call;
    Operands operands;

    Expr whole(std::size_t operand) const { return read_(operand, false); }
    // One cell, which makes the formula one about cells: M_ij = …
    Expr cell(std::size_t operand);
    // As the call itself stands.
    Expr same(std::size_t operand);
    // All operands.
    std::vector<Expr> all() const;
    const Expr& number(std::string_view attribute) const { return call.number(attribute); }
    const std::vector<Expr>& numbers(std::string_view attribute) const { return call.numbers(attribute); }

    bool is_about_cells() const { return is_about_cells_; }
    // Otherwise a cell of the result is its whole formula in brackets, with an index.
    bool speaks_of_cells() const { return is_about_cells_ || takes_same_; }

private:
    bool as_cell_;
    Read read_;
    bool is_about_cells_ = false;
    bool takes_same_ = false;
};

// The value of grad_fn for a call that returns its operand 0 itself.
inline constexpr std::string_view same_grad_fn = "=";

// Expr on the way to a cell.
struct Part {
    std::string_view id;  // its kind, by its name in data/narration/
    Index index;          // of the cell of operand 0 that it is about, where it is about one
    Expr arithmetic;
};

// A fact of a reason, under its name there: a number, unless it is text.
struct Fact {
    std::string_view name;
    Leaf number;
    std::string text;
};

// A reason beyond the arithmetic: the rule that masked, the draw that decided, the place of a number. The
// sentence is in data/narration/, under the id.
struct Reason {
    std::string_view id;  // empty: there is nothing to add
    std::vector<Fact> facts = {};
    bool lasts = false;  // it still matters to what is computed from the cell
};

// How one number of the result came about: arithmetic on cells of the operands, by their places among the
// call's, and on numbers of the call. Where the cell is best reached by way of other numbers, these are its
// parts, in order, and each is a line that the arithmetic after it can take.
struct Explanation {
    Expr arithmetic;
    std::vector<Part> parts = {};
    Reason reason = {};
};

// The material of a cell's arithmetic: the cell of each operand that broadcasting pairs with it, and
// attributes of the call.
struct CellOf {
    const Call& call;
    Operands operands;
    const Tensor& result;
    const Index& cell;

    Expr operator()(std::size_t operand) const;
    Expr operator()(std::string_view attribute) const;
};

// The kind of value a call returns: a tensor, a tensor of truths, a number of the program, a layer, a
// generator, the nameless state of NumPy's own generator, or autograd's recording mode.
enum class Returns { tensor, truths, scalar, layer, generator, random_state, grad_mode };

// Where a result is known to hold no negative number.
enum class Sign {
    any,             // nowhere
    never_negative,  // always
    of_operands,     // where no operand does, nor the call's attribute `value`
    of_followed,     // where the operand that its cells follow does not, nor the attribute `value`
};

// The meaning of a cell beyond its number.
enum class CellKind : std::uint8_t {
    number,
    masked,   // a mask put it out of sight, here or in what this was made from: -inf, or the 0 it became
    dropped,  // dropout made a 0 of what was none
};

// How far apart in memory neighbours along each axis lie.
using Strides = std::vector<std::size_t>;

// A cell as the row's `cells` or `factors` say.
Explanation explain_cells(const Call& call, Operands operands, const Tensor& result, const Index& cell);
// As the row explains a cell, but no more than the first products of a sum of them.
Explanation explain_in_terms(const Call& call, Operands operands, const Tensor& result, const Index& cell,
                             std::size_t most_products);

// A row without `explain` is one of an operation that works cell by cell.
struct Operation {
    std::string_view name;
    Tensor (*evaluate)(const Call&, Operands, Generator&) = nullptr;  // none: numbers from outside
    PerCall<Syntax> torch = {};
    PerCall<Syntax> numpy = {};  // where it reads otherwise than PyTorch
    PerCall<Syntax> cpp = {};
    Expr (*formula)(FormulaOf& x) = nullptr;  // none: there is nothing to say
    // How a cell of the result is indexed in a formula.
    PerCall<std::string_view> cell_index = "ij";
    // Name of the function autograd records: none for a leaf and where no gradient passes.
    PerCall<std::string_view> grad_fn = {};
    // The gradient of an operand, as calls recorded from that of the result; asked for where one is required.
    // None: no gradient passes.
    Var (*gradient)(const Backward& y, std::size_t operand) = nullptr;
    // The function that makes a cell of those at its place: its formula, unless the row has one of its own,
    // and its arithmetic.
    Operator function = Operator::leaf;
    // The arithmetic of a cell that is made of those at its place, where that takes more than one operator.
    Expr (*cells)(const CellOf& x) = nullptr;
    // For a cell that sums products along the last axis of operand 0: the cells of operands 0 and 1 in the
    // k-th product.
    std::pair<Index, Index> (*factors)(Operands, const Tensor& result, const Index& cell,
                                       std::size_t k) = nullptr;
    Explanation (*explain)(const Call&, Operands, const Tensor& result, const Index& cell) = explain_cells;

    // The operand whose cells those of the result are made of, one by one.
    std::optional<std::size_t> follows = std::nullopt;
    Sign sign = Sign::any;
    // The meaning the call gives a cell; `factor` is the meaning of a product with a 0 of operand 1. None: it
    // hides nothing.
    CellKind (*hides)(Operands, const Tensor& result, const Index& cell, CellKind factor) = nullptr;
    // The meaning of a product with a 0 of the result, where the row itself decides.
    CellKind zero = CellKind::number;
    // The strides of a result that lies in the memory of operand 0, from the operand's; nothing where this
    // call has to copy. Throws Error for a view that they do not allow. None: the result has memory of its
    // own.
    std::optional<Strides> (*strides)(const Call&, const Shape& operand, const Strides&,
                                      const Shape& result) = nullptr;
    bool rearranges = false;  // the same numbers, read in another order or shape
    bool draws = false;       // nobody can tell the numbers beforehand
    bool parameter = false;   // the result is a torch.nn.Parameter
    // One that training would change, unless the call's attribute of that name says otherwise.
    bool requires_grad = false;
    Returns returns = Returns::tensor;

    const PerCall<Syntax>& syntax(Language language) const;
    bool is_given() const { return evaluate == nullptr; }
    bool seeds() const { return returns == Returns::generator || returns == Returns::random_state; }
    // A tensor or a single number.
    bool is_tensor() const { return returns <= Returns::scalar; }
};

}  // namespace attn
