// One row per operation: everything there is to know about it. The code line, the formula, the explanation,
// the number of a step and its colours all come from the row of its operation, so they cannot drift apart.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "notebook/number.hpp"
#include "tensor/random.hpp"
#include "tensor/tensor.hpp"

namespace attn {

struct Operation;

// What a call says besides its operands: `dim=-1`, `p=0.5`, a list of sizes.
struct Attribute {
    std::string_view name;
    std::vector<Number> values;
};

// Where the notebook's generator stood.
struct Draws {
    std::uint64_t seed = 0;
    std::uint64_t drawn = 0;  // numbers of 32 bits since it was seeded
};

// One application of an operation to nodes of the notebook.
struct Call {
    const Operation* operation = nullptr;
    std::vector<std::size_t> inputs;
    std::vector<Attribute> attributes;
    Draws draws = {};  // before it was evaluated

    // The number of an attribute; nullptr when the call has none of that name.
    const Number* find(std::string_view name) const;
    // The same of an attribute that the call must have. Throw std::logic_error when it has not.
    const Number& number(std::string_view name) const { return numbers(name).at(0); }
    const std::vector<Number>& numbers(std::string_view name) const;
    double value(std::string_view name) const { return number(name).value; }
    int integer(std::string_view name) const { return static_cast<int>(value(name)); }
    std::size_t size(std::string_view name) const { return static_cast<std::size_t>(value(name)); }
    // The attribute "size" as a shape.
    Shape shape() const;
};

using Operands = std::span<const Tensor* const>;

// What a row says of its calls: the same of all, or a function of the call.
template <typename T>
class PerCall {
public:
    using Function = T (*)(const Call&, Operands);

    template <typename... Parts>
    requires std::constructible_from<T, Parts...>
    constexpr PerCall(Parts... parts) : same_(parts...) {}
    template <std::convertible_to<Function> Of>
    constexpr PerCall(Of of) : of_(of) {}

    T operator()(const Call& call, Operands operands) const {
        return of_ == nullptr ? same_ : of_(call, operands);
    }

private:
    T same_{};
    Function of_ = nullptr;
};

// How tightly an expression holds together; an operand that holds less tightly than its place asks is put in
// brackets. A statement is no expression: nothing is assigned from it.
enum class Binding { statement, comparison, sum, product, atom };

// How an operation reads in one language: `{0}` is the first operand, `{dim}` an attribute, `{data}` the
// numbers of the result, `{operands}` all operands; `{{` and `}}` are braces. A pattern that mentions
// `{name}`, the name of the result, is a whole statement. In MathML, `{0:ij}` is one cell of the operand,
// which makes the formula one about cells (`M_ij = …`), and `{0:same}` is one cell where the operation itself
// stands in such a formula.
// In MathML a pattern that binds as an atom is one element, so that it can stand as a base or a subscript.
struct Syntax {
    std::string_view pattern;
    Binding binding = Binding::atom;
    std::string_view setup;  // statements it needs once, before all others: imports, definitions

    constexpr Syntax(std::string_view reads = {}, Binding holds = Binding::atom, std::string_view needs = {})
        : pattern(reads), binding(holds), setup(needs) {}
    constexpr Syntax(const char* reads) : pattern(reads) {}
    constexpr Syntax(std::string_view reads, std::string_view needs) : pattern(reads), setup(needs) {}

    bool is_statement() const {
        return binding == Binding::statement || pattern.find("{name}") != std::string_view::npos;
    }
};

// What grad_fn answers for a call that returns its operand 0 itself.
inline constexpr std::string_view same_grad_fn = "=";

// A number that an explanation takes: a cell of an operand, what an earlier part of the explanation comes to,
// or a number of the call.
struct Cell {
    static constexpr std::size_t part = static_cast<std::size_t>(-1);    // the first index says which
    static constexpr std::size_t number = static_cast<std::size_t>(-2);  // it is `value`

    std::size_t operand;
    Index index;
    double value = 0.0;
    const Number* reads = nullptr;  // how code writes the number; none: its digits
};

// Arithmetic in which each `{}` stands for the next of `cells`, on the way to a cell.
struct Part {
    std::string_view id;  // what it is, as data/narration/ names it
    Index index;          // of the cell of operand 0 that it is about, where it is about one
    std::string text;
    std::vector<Cell> cells;
};

// What a reason speaks of, under the name it has there: a number, unless it is text.
struct Fact {
    std::string_view name;
    Cell cell;
    std::string text;
};

// What a reader should know besides the arithmetic: which rule masked, which draw decided, where a number
// lay. The sentence is in data/narration/, under the id.
struct Reason {
    std::string_view id;  // empty: there is nothing to add
    std::vector<Fact> facts = {};
    bool lasts = false;  // it still matters to what is computed from the cell
};

// How one number of the result came about: arithmetic in which each `{}` stands for the number in the next of
// `cells`. Evaluated, the text gives the number; the signs are those of text/arithmetic.hpp. Where the cell
// is best reached by way of other numbers, these are its parts, in order.
struct Explanation {
    std::string text;
    std::vector<Cell> cells;
    std::vector<Part> parts = {};
    Reason reason = {};
};

// What evaluating a call takes: arithmetic operations, and bytes read and written.
struct Cost {
    std::uint64_t operations = 0;
    std::uint64_t bytes = 0;
};

// What a call returns: a tensor, of truths perhaps, a number of the program, a layer, a generator, or the
// state of NumPy's own generator, which has no name.
enum class Returns { tensor, truths, scalar, layer, generator, random_state };

// Where a result is known to hold no negative number.
enum class Sign {
    any,             // nowhere
    never_negative,  // always
    of_operands,     // where no operand does, nor the call's attribute `value`
    of_followed,     // where the operand that its cells follow does not, nor the attribute `value`
};

// What a cell is besides a number.
enum class CellKind : std::uint8_t {
    number,
    masked,   // a mask put it out of sight, here or in what this was made from: -inf, or the 0 it became
    dropped,  // dropout made a 0 of what was none
};

// How far apart in memory neighbours along each axis lie.
using Strides = std::vector<std::size_t>;

// A cell as the row's `cells` say.
Explanation explain_cells(const Call& call, Operands operands, const Tensor& result, const Index& cell);
// One operation for each number of the result.
Cost cost_per_cell(Operands operands, const Tensor& result);

// A row that leaves `explain` and `cost` alone is one of an operation that works cell by cell.
struct Operation {
    std::string_view name;
    Tensor (*evaluate)(const Call&, Operands, Generator&) = nullptr;  // none: numbers from outside
    PerCall<Syntax> torch = {}, numpy = {}, cpp = {}, mathml = {};
    // How a cell of the result is indexed in a formula.
    PerCall<std::string_view> cell_index = "ij";
    // Name of the function autograd records: none for a leaf and where no gradient passes.
    PerCall<std::string_view> grad_fn = {};
    // The arithmetic of a cell that is made of those at its place: "{0} / {value}".
    std::string_view cells = {};
    Explanation (*explain)(const Call&, Operands, const Tensor& result, const Index& cell) = explain_cells;
    Cost (*cost)(Operands, const Tensor& result) = cost_per_cell;

    // The operand whose cells those of the result are made of, one by one.
    std::optional<std::size_t> follows = std::nullopt;
    Sign sign = Sign::any;
    // What the call itself makes of a cell; `factor` is what a 0 of operand 1 makes of what it is multiplied
    // with. None: it hides nothing.
    CellKind (*hides)(Operands, const Tensor& result, const Index& cell, CellKind factor) = nullptr;
    // What a 0 of the result makes of what it is multiplied with, where the row itself decides.
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
    // A tensor or a single number.
    bool is_tensor() const { return returns <= Returns::scalar; }
};

}  // namespace attn
