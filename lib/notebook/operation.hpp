// One row per operation: everything there is to know about it. The code line, the formula, the explanation
// and the number of a step all come from the row of its operation, so they cannot drift apart.
#pragma once

#include <cstddef>
#include <cstdint>
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

    // The single number of an attribute. Throws std::logic_error when the call has none of that name.
    const Number& number(std::string_view name) const;
    const std::vector<Number>& numbers(std::string_view name) const;
    int integer(std::string_view name) const { return static_cast<int>(number(name).value); }
    std::size_t size(std::string_view name) const { return static_cast<std::size_t>(number(name).value); }
    // The attribute "size" as a shape.
    Shape shape() const;
};

using Operands = std::span<const Tensor* const>;

// How tightly an expression holds together; an operand that holds less tightly than its place asks is put in
// brackets.
enum class Binding { comparison, sum, product, atom };

// How an operation reads in one language: `{0}` is the first operand, `{dim}` an attribute, `{data}` the
// numbers of the result, `{operands}` all operands; `{{` and `}}` are braces. A pattern that mentions
// `{name}`, the name of the result, is a whole statement, and so is one marked as such. In MathML, `{0:ij}`
// is one cell of the operand, which makes the formula one about cells (`M_ij = …`), and `{0:same}` is one
// cell where the operation itself stands in such a formula.
// In MathML a pattern that binds as an atom is one element, so that it can stand as a base or a subscript.
struct Syntax {
    std::string_view pattern = {};
    Binding binding = Binding::atom;
    bool statement = false;
    std::string_view setup = {};  // statements it needs once, before all others: imports, definitions
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

struct Operation {
    std::string_view name;
    Tensor (*evaluate)(const Call&, Operands, Generator&);  // none: the numbers come from outside
    Syntax torch, numpy, cpp, mathml;
    // Name of the function autograd records: none for a leaf, and that of operand 0 when the call returns it
    // as it is.
    std::string_view (*grad_fn)(const Call&, Operands);
    Explanation (*explain)(const Call&, Operands, const Tensor& result, const Index& cell);
    Cost (*cost)(Operands, const Tensor& result);
    bool parameter = false;      // the result is a torch.nn.Parameter
    bool requires_grad = false;  // one that training would change
    bool is_tensor = true;       // in PyTorch; a layer or a generator is none
    // How a cell of the result is indexed in a formula.
    std::string_view cell_index = "ij";

    const Syntax& syntax(Language language) const;
};

// Every operation there is.
std::span<const Operation* const> operations();

}  // namespace attn
