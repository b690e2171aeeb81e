// Expressions: formulas, the arithmetic of a cell and the numbers in a line of code. Each is a tree of
// operators over leaves, which is evaluated, put together and written down, and never read back from text.
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
        nothing,   // the formula of an operation without one
        constant,  // of the operation itself, such as the 1 of 1 − p
        whole,     // a constant without a fraction, exact up to 64 bits
        letter,    // of a formula: S
        words,     // a condition in words: kept
        number,    // of the program or the call, or drawn for it
        cell,      // of a tensor
        line,      // the value of an earlier line
        rest,      // the value of many terms, for which a shown line has no room
    };

    From from = From::nothing;
    double value = 0.0;
    // A cell's tensor: which operand of a call, or which node; which line; or a whole number itself.
    std::size_t of = 0;
    Index index{};                                  // of a cell
    const Expr* reads = nullptr;                    // how code writes a number, if not as its digits
    std::shared_ptr<const Spelling> spelling = {};  // of a letter, of words, and of a number with a name

    // The text of a letter or of words.
    const std::string& text() const;
    bool operator==(const Leaf& other) const;
};

struct Expr {
    Operator op = Operator::leaf;
    Leaf leaf = {};
    std::vector<Expr> parts = {};

    bool is_empty() const { return op == Operator::leaf && leaf.from == Leaf::From::nothing; }
    // A number that stands elsewhere: no constant, and nothing computed.
    bool is_one_number() const { return op == Operator::leaf && leaf.from >= Leaf::From::number; }
    bool is_root() const { return op == Operator::root || op == Operator::float_root; }
    Binding binding(Script notation) const;

    // The result in double precision, but with the range of float32: what is larger is ∞.
    double value() const;
    // As a line of code writes it.
    std::string in(Language language) const;
    // The named tensors and numbers that it mentions.
    std::vector<std::size_t> nodes() const;

    bool operator==(const Expr&) const = default;
};

// A number of the surrounding program, such as a width or a probability. A line of code can say
// `keys.shape[-1]**0.5` where the arithmetic uses 1.4142135.
using Number = Expr;

// How a leaf is written.
struct Spelling {
    std::array<std::string, language_count> code;
    Expr formula = {};
    std::optional<std::size_t> node = {};  // the named tensor or number that it mentions

    bool operator==(const Spelling&) const = default;
};

// Applies an operator. The parts need no brackets: writing adds them where a notation needs them.
template <std::same_as<Expr>... Parts>
Expr combined(Operator op, Parts... parts) {
    Expr result{op};
    result.parts.reserve(sizeof...(parts));
    (result.parts.push_back(std::move(parts)), ...);
    return result;
}

// The value of the many terms that a shown line has no room for.
Expr rest(double value);

// Numbers of the program, of which a negative one reads as that of a positive one: all digits of a whole
// number, otherwise the shortest that give the same double.
Number literal(double value);
Number literal(std::unsigned_integral auto value) {
    return {Operator::leaf, {Leaf::From::whole, static_cast<double>(value), static_cast<std::size_t>(value)}};
}
Number literal(std::signed_integral auto value) {
    const Number size = literal(static_cast<std::uint64_t>(value < 0 ? -value : value));
    return value < 0 ? combined(Operator::negative, size) : size;
}
// With a name of its own in each language, or in all.
Number named(const Leaf& number, Spelling spelling);
Number named(double value, const std::string& name, Expr formula, std::optional<std::size_t> node = {});
// Reads "True" or "False" in Python and "true" or "false" in C++.
Number truth(bool value);
// −∞: -torch.inf, -np.inf
Number minus_infinity();
// d_k**0.5; NumPy is told to keep to float32, which a double would leave: np.sqrt(d_k, dtype=np.float32)
Number float_root(Number d);

// Leaves of arithmetic.
Expr constant(double value);
Expr number(double value, const Expr* reads = nullptr);
Expr cell_of(std::size_t tensor, const Index& index);
Expr earlier_line(std::size_t which);

// Leaves of formulas.
Expr letter(std::string_view name);
Expr symbol(std::string_view text);  // W_q: a letter with an index behind an underscore
Expr words(std::string_view text);

Expr operator+(Expr a, Expr b);
// The same of many terms: one alone is itself, and a sum of sums is one sum.
Expr sum_of(std::vector<Expr> terms);
Expr maximum_of(std::vector<Expr> numbers);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);  // with a dot in formulas
Expr operator/(Expr a, Expr b);  // as a fraction in formulas
Expr operator-(Expr x);
Expr tight(Expr a, Expr b);     // a*b
Expr quotient(Expr a, Expr b);  // how often b fits into a. d_out // num_heads
Expr exp(Expr x);
Expr ln(Expr x);
Expr sin(Expr x);
Expr cos(Expr x);
Expr sqrt(Expr x);
Expr root(Expr x);  // of a number of the program. d_k**0.5
Expr abs(Expr x);

// These occur only in formulas.
Expr juxtaposed(Expr a, Expr b);  // a product of matrices
Expr equation(Expr left, Expr right);
Expr transposed(Expr x);
Expr subscript(Expr base, Expr index);
Expr range(Expr from, Expr to);                     // from:to
Expr tuple(std::vector<Expr> parts);                // (a, b)
Expr list(std::vector<Expr> parts);                 // [a, b]
Expr as_atom(const Expr& x);                        // in brackets unless it holds together by itself
Expr applied(Expr function, std::vector<Expr> to);  // max(a, b)
Expr item(Expr x, std::vector<Expr> index);         // x[1, 0]
Expr total(Expr x);                                 // ∑x
Expr sum_over(std::string_view index, Expr x);      // ∑_j x
Expr max_over(std::string_view index, Expr x);      // max_j x
Expr cases(Expr value, Expr condition, Expr otherwise);

// Calls a function with every number that stands elsewhere, in the order they are written.
void for_each_number(const Expr& arithmetic, const std::function<void(const Leaf&)>& tell);
// Their count, or `most` where there are more, for which the rest is not looked at.
std::size_t count_numbers(const Expr& arithmetic, std::size_t most = std::numeric_limits<std::size_t>::max());
// The arithmetic with something in place of each of them.
Expr replaced(const Expr& arithmetic, const std::function<Expr(const Leaf&)>& by);
// The value where a function says what the leaves are.
double evaluate(const Expr& arithmetic, const std::function<double(const Leaf&)>& value_of);

// The arithmetic as Python reads it, its numbers as they are written by a function: negative ones are put in
// brackets where they need them. It is told in pieces between which a line may end: before a term, after a
// comma.
using WriteLeaf = std::function<std::string(const Leaf&)>;
std::vector<std::string> in_pieces(const Expr& arithmetic, const WriteLeaf& write);
std::string written(const Expr& arithmetic, const WriteLeaf& write);

// A word of formulas in a reader's language: "if", "else", or a condition in words.
using FormulaWord = std::function<std::string(std::string_view english)>;
std::string in_english(std::string_view word);

// S_ij = −∞ if U_ij = 1 else S_ij / √d_k
std::string formula_text(const Expr& formula, const FormulaWord& word = in_english);
// The content of <math>…</math>.
std::string formula_mathml(const Expr& formula, const FormulaWord& word = in_english);
// The text between dollar signs, for a document that uses amsmath.
std::string formula_latex(const Expr& formula, const FormulaWord& word = in_english);
// A number, 1e-05 as 10^{-5}.
std::string latex_digits(std::string_view digits);

}  // namespace attn
