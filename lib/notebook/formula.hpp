// A formula as a tree, and its renderings: a line of text, MathML, and LaTeX. The functions that make a
// formula put an operand in brackets where it needs them, so that a rendering writes down what is there.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "notebook/operators.hpp"

namespace attn {

struct Formula {
    enum class Kind {
        none,        // of an operation without a formula
        symbol,      // S
        number,      // 0.5
        words,       // kept
        infix,       // S + X, by the operator
        negative,    // −x
        fraction,    // numerator and denominator
        root,        // √d
        subscript,   // base and index
        transposed,  // Kᵀ
        list,        // (a, b): `text` is the pair of brackets
        applied,     // max(a, b) and H[1]: what stands in front, and a list
        over,        // ∑_j x: `text` is the operator; what follows it, and its index if it has one
        cases,       // a value, its condition, and the value otherwise
    };

    Kind kind = Kind::none;
    std::string text = {};
    std::vector<Formula> parts = {};
    Operator op = Operator::leaf;  // between the parts of an infix

    bool is_empty() const { return kind == Kind::none; }
    Binding binding() const;

    bool operator==(const Formula&) const = default;
};

Formula letter(std::string_view name);
// W_q: a letter with an index behind an underscore.
Formula symbol(std::string_view text);
// The digits of a number, with a hyphen in front of a negative one.
Formula digits(std::string_view number);
// A condition in words: "kept".
Formula words(std::string_view text);

Formula operator+(const Formula& a, const Formula& b);
Formula operator-(const Formula& a, const Formula& b);
Formula operator-(const Formula& x);
Formula operator*(const Formula& a, const Formula& b);  // with a dot
Formula operator/(const Formula& a, const Formula& b);  // as a fraction
// By any operator: as above, as a root, between bars, or as a function with its arguments in brackets.
Formula combined(Operator op, const std::vector<Formula>& parts);
Formula juxtaposed(const Formula& a, const Formula& b);  // a product of matrices
Formula compared(const Formula& a, Operator comparison, const Formula& b);
Formula equation(const Formula& left, const Formula& right);
Formula root(const Formula& x);
Formula transposed(const Formula& x);
Formula subscript(const Formula& base, const Formula& index);
Formula range(const Formula& from, const Formula& to);  // from:to
Formula absolute(const Formula& x);                     // |x|
Formula tuple(std::vector<Formula> parts);              // (a, b)
Formula row(std::vector<Formula> parts);                // [a, b]
// In brackets unless it holds together by itself.
Formula as_atom(const Formula& x);
Formula applied(const Formula& function, std::vector<Formula> to);  // max(a, b)
Formula item(const Formula& x, std::vector<Formula> index);         // x[1, 0]
// An operator in front of what it runs over: ∑_j x. Without an index it runs over everything: ∑x.
Formula over(std::string_view sign, std::string_view index, const Formula& x);
Formula cases(const Formula& value, const Formula& condition, const Formula& otherwise);

// A word of formulas in a reader's language: "if", "else", or a condition in words.
using FormulaWord = std::function<std::string(std::string_view english)>;
std::string in_english(std::string_view word);

// S_ij = −∞ if U_ij = 1 else S_ij / √d_k
std::string formula_text(const Formula& formula, const FormulaWord& word = in_english);
// The content of <math>…</math>.
std::string formula_mathml(const Formula& formula, const FormulaWord& word = in_english);
// The text between dollar signs, for a document that uses amsmath.
std::string formula_latex(const Formula& formula, const FormulaWord& word = in_english);

}  // namespace attn
