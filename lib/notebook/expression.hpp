// An expression represents a formula, the arithmetic of a cell, or a number in a line of code. It is a tree
// of operators and leaves. It can be evaluated, combined and written as text, but not parsed from text.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "notebook/operators.hpp"
#include "tensor/tensor.hpp"

namespace attn {

struct Expr;
struct Spelling;

struct Leaf {
    enum class From {
        nothing,   // an operation without a formula
        constant,  // a constant that belongs to the operation, such as the 1 in 1 − p
        whole,     // a whole constant, exact up to 64 bits
        letter,    // a letter of a formula: S
        words,     // a condition in words: kept
        // Placeholders in the formula of a call (see FormulaOf):
        whole_operand,  // a whole operand
        operand_cell,   // a cell of an operand
        operand,        // a cell of an operand in the formula of a cell, otherwise the whole operand
        number,         // a number of the program or of a call, or a random number
        cell,           // a cell of a tensor
        line,           // the value of an earlier line
        rest,           // the value of terms that a long line leaves out
    };

    From from = From::nothing;
    double value = 0.0;
    std::uint64_t whole = 0;  // the value of a whole number
    std::size_t line = 0;     // the line of a value
    std::size_t tensor = 0;   // the operand of a placeholder or cell, or the id of a cell's node
    Index index{};            // the index of a cell
    // The text of a letter, of words or of a named number; null: the number's digits.
    std::shared_ptr<const Spelling> spelling = {};

    // Returns true for a single number: a number, a cell, a line, or omitted terms.
    bool is_one_number() const {
        return from == From::number || from == From::cell || from == From::line || from == From::rest;
    }
    // Returns true for an operand's place in a formula.
    bool is_placeholder() const {
        return from == From::whole_operand || from == From::operand_cell || from == From::operand;
    }
    // Returns the text of a letter or of words; for a named number, its name in a language.
    const std::string& text(Language language = Language::torch) const;
    bool operator==(const Leaf& other) const;
};

struct Expr {
    Operator op = Operator::leaf;
    Leaf leaf = {};
    std::vector<Expr> parts = {};

    bool is_empty() const { return op == Operator::leaf && leaf.from == Leaf::From::nothing; }
    // Returns true for a leaf that stands for a single number.
    bool is_one_number() const { return op == Operator::leaf && leaf.is_one_number(); }
    Binding binding(Script notation) const;

    // Evaluates in double precision. Numbers beyond the range of float32 become ∞.
    double value() const;
    // Returns the expression as code.
    std::string in(Language language) const;
    // Returns the ids of the named tensors and numbers in the expression.
    std::vector<std::size_t> nodes() const;

    bool operator==(const Expr&) const = default;
};

// A number of the program, such as a width or a probability. It has a value, 1.4142135, and a spelling in
// code, `keys.shape[-1]**0.5`.
using Number = Expr;

// The text of a leaf in each notation.
struct Spelling {
    std::array<std::string, language_count> code;
    Expr formula = {};
    std::optional<std::size_t> node = {};  // the named tensor or number in the text

    bool operator==(const Spelling&) const = default;
};

// Applies an operator to its operands. Brackets are added later, when the expression is written as text.
template <std::same_as<Expr>... Parts>
Expr combined(Operator op, Parts... parts) {
    Expr result{op};
    result.parts.reserve(sizeof...(parts));
    (result.parts.push_back(std::move(parts)), ...);
    return result;
}

// Returns a leaf for the terms that are left out of a long line.
inline Expr rest(double value) {
    return {Operator::leaf, {Leaf::From::rest, value}};
}

// Numbers of the program. A negative number is a minus before a positive one. Whole numbers have all their
// digits; other numbers have the fewest digits that give the same double.
Number literal(double value);
Number literal(std::unsigned_integral auto value) {
    return {Operator::leaf, {Leaf::From::whole, double(value), value}};
}
Number literal(std::signed_integral auto value) {
    const Number size = literal(std::uint64_t(value < 0 ? -value : value));
    return value < 0 ? combined(Operator::negative, size) : size;
}
// Gives a number a name: the same in all languages, or one for each.
Number named(const Leaf& number, Spelling spelling);
Number named(double value, const std::string& name, Expr formula, std::optional<std::size_t> node = {});
// A truth value: "True" or "False" in Python, "true" or "false" in C++.
Number truth(bool value);
// −∞: -torch.inf, -np.inf
Number minus_infinity();
// The root of a number: d_k**0.5. In NumPy, this would be a double, so the code is np.sqrt(d_k,
// dtype=np.float32).
Number float_root(Number d);

// Leaves of arithmetic:
inline Expr constant(double value) {
    return {Operator::leaf, {Leaf::From::constant, value}};
}
inline Expr number(double value) {
    return {Operator::leaf, {Leaf::From::number, value}};
}
inline Expr cell_of(std::size_t tensor, const Index& index, double value = 0.0) {
    return {Operator::leaf, {.from = Leaf::From::cell, .value = value, .tensor = tensor, .index = index}};
}
inline Expr earlier_line(std::size_t line, double value = 0.0) {
    return {Operator::leaf, {.from = Leaf::From::line, .value = value, .line = line}};
}

// Leaves of formulas:
inline Expr placeholder(std::size_t operand, Leaf::From of_operand) {
    return {Operator::leaf, {.from = of_operand, .tensor = operand}};
}
Expr letter(std::string_view name);
Expr symbol(std::string_view text);  // W_q: a letter with an index after the underscore
Expr words(std::string_view text);

inline Expr operator+(Expr a, Expr b) {
    return combined(Operator::sum, std::move(a), std::move(b));
}
// The sum or the maximum of many numbers. A sum of one term becomes this term, and a sum within a sum is
// merged into it.
Expr sum_of(std::vector<Expr> terms);
inline Expr maximum_of(std::vector<Expr> numbers) {
    return {Operator::maximum, {}, std::move(numbers)};
}
inline Expr operator-(Expr a, Expr b) {
    return combined(Operator::difference, std::move(a), std::move(b));
}
// A product, with a dot in formulas.
inline Expr operator*(Expr a, Expr b) {
    return combined(Operator::product, std::move(a), std::move(b));
}
// A quotient, as a fraction in formulas.
inline Expr operator/(Expr a, Expr b) {
    return combined(Operator::quotient, std::move(a), std::move(b));
}
inline Expr operator-(Expr x) {
    return combined(Operator::negative, std::move(x));
}
// A product without spaces: a*b
inline Expr tight(Expr a, Expr b) {
    return combined(Operator::tight_product, std::move(a), std::move(b));
}
// Integer division: d_out // num_heads
inline Expr floor_quotient(Expr a, Expr b) {
    return combined(Operator::floor_quotient, std::move(a), std::move(b));
}
inline Expr exp(Expr x) {
    return combined(Operator::exp, std::move(x));
}
inline Expr ln(Expr x) {
    return combined(Operator::ln, std::move(x));
}
inline Expr sin(Expr x) {
    return combined(Operator::sin, std::move(x));
}
inline Expr cos(Expr x) {
    return combined(Operator::cos, std::move(x));
}
inline Expr sqrt(Expr x) {
    return combined(Operator::sqrt, std::move(x));
}
// The root of a number of the program: d_k**0.5
inline Expr root(Expr x) {
    return combined(Operator::root, std::move(x));
}
inline Expr abs(Expr x) {
    return combined(Operator::abs, std::move(x));
}

// The functions below are only for formulas. A matrix product is written without a sign.
inline Expr juxtaposed(Expr a, Expr b) {
    return combined(Operator::matrix_product, std::move(a), std::move(b));
}
inline Expr equation(Expr left, Expr right) {
    return combined(Operator::equation, std::move(left), std::move(right));
}
inline Expr transposed(Expr x) {
    return combined(Operator::transposed, std::move(x));
}
inline Expr subscript(Expr base, Expr index) {
    return combined(Operator::subscript, std::move(base), std::move(index));
}
// A range of indices: from:to
inline Expr range(Expr from, Expr to) {
    return combined(Operator::range, std::move(from), std::move(to));
}
// (a, b)
inline Expr tuple(std::vector<Expr> parts) {
    return {Operator::tuple, {}, std::move(parts)};
}
// [a, b]
inline Expr list(std::vector<Expr> parts) {
    return {Operator::list, {}, std::move(parts)};
}
Expr as_atom(const Expr& x);  // writes x in brackets, unless x is a single symbol or number
Expr applied(Expr function, std::vector<Expr> to);  // max(a, b)
Expr item(Expr x, std::vector<Expr> index);         // x[1, 0]
// ∑x
inline Expr total(Expr x) {
    return combined(Operator::total, std::move(x));
}
// ∑_j x
inline Expr sum_over(std::string_view index, Expr x) {
    return combined(Operator::sum_over, std::move(x), letter(index));
}
// max_j x
inline Expr max_over(std::string_view index, Expr x) {
    return combined(Operator::max_over, std::move(x), letter(index));
}
Expr cases(Expr value, Expr condition, Expr otherwise);

// Calls a function for each leaf that stands for a single number, in the order of the text.
void for_each_number(const Expr& arithmetic, const std::function<void(const Leaf&)>& visit);
// Counts the leaves that stand for a single number, up to `most`.
std::size_t count_numbers(const Expr& arithmetic, std::size_t most = std::numeric_limits<std::size_t>::max());
// Replaces each leaf that stands for a single number by an expression.
Expr replaced(const Expr& arithmetic, const std::function<Expr(const Leaf&)>& by);
// Evaluates an expression; `value_of` returns the value of a leaf.
double evaluate(const Expr& arithmetic, const std::function<double(const Leaf&)>& value_of);

// A number of the arithmetic, or the text between two numbers.
struct TextPiece {
    std::string text;
    std::optional<Leaf> number = {};
    bool may_break = false;  // a long line can be broken before it: before a term, or after a comma
};
std::string text_of(const std::vector<TextPiece>& pieces);

// Writes the arithmetic as Python code. `WriteLeaf` writes the numbers; negative numbers get brackets where
// Python needs them.
using WriteLeaf = std::function<std::string(const Leaf&)>;
std::vector<TextPiece> in_pieces(const Expr& arithmetic, const WriteLeaf& write);
std::string written(const Expr& arithmetic, const WriteLeaf& write);

// Translates the words in formulas: "if", "else" and conditions.
using FormulaWord = std::function<std::string(std::string_view english)>;
std::string in_english(std::string_view word);

// Writes a formula as text: S_ij = −∞ if U_ij = 1 else S_ij / √d_k
std::string formula_text(const Expr& formula, const FormulaWord& word = in_english);
// Writes the content of <math>…</math>.
std::string formula_mathml(const Expr& formula, const FormulaWord& word = in_english);
// Writes a formula in LaTeX, as it stands between dollar signs; needs amsmath.
std::string formula_latex(const Expr& formula, const FormulaWord& word = in_english);
// Writes a number for LaTeX, for example 1e-05 as 10^{-5}.
std::string latex_digits(std::string_view digits);

}  // namespace attn
