// Formulas as trees: brackets and text.
#include <doctest/doctest.h>

#include <string>

#include "notebook/expression.hpp"

using attn::Expr;
using attn::formula_latex;
using attn::formula_mathml;
using attn::formula_text;

namespace {

const auto letter = attn::letter;
// Returns a number from its digits, with a hyphen before a negative one.
Expr digits(std::string_view text) {
    return text.starts_with('-') ? -digits(text.substr(1))
                                 : attn::named({attn::Leaf::From::constant}, {{std::string(text)}});
}

Expr cell(std::string_view name) {
    return attn::subscript(letter(name), letter("ij"));
}

}  // namespace

TEST_CASE("a formula has brackets where it needs them and nowhere else") {
    const Expr a = letter("a");
    const Expr b = letter("b");
    const Expr c = letter("c");
    CHECK(formula_text(a + b + c) == "a + b + c");
    CHECK(formula_text(a + (b + c)) == "a + (b + c)");
    CHECK(formula_text(a - (b - c)) == "a − (b − c)");
    CHECK(formula_text(a - b * c) == "a − b · c");
    CHECK(formula_text((a - b) * c) == "(a − b) · c");
    CHECK(formula_text(a * b * c) == "a · b · c");
    CHECK(formula_text(a * (b * c)) == "a · (b · c)");
    CHECK(formula_text(juxtaposed(a + b, c)) == "(a + b) c");
    CHECK(formula_text(transposed(a)) == "aᵀ");
    CHECK(formula_text(transposed(a + b)) == "(a + b)ᵀ");
    CHECK(formula_text(transposed(a / b)) == "(a / b)ᵀ");
    CHECK(formula_text(subscript(juxtaposed(a, b), letter("ij"))) == "(a b)_ij");
    CHECK(formula_text(item(a, {attn::literal(1), attn::literal(0)})) == "a[1, 0]");
    CHECK(formula_text(item(a - b, {attn::literal(0)})) == "(a − b)[0]");
    CHECK(formula_text(-a + b) == "−a + b");
    CHECK(formula_text(a - -b) == "a − (−b)");
    CHECK(formula_text(a * digits("-0.5")) == "a · (−0.5)");
    CHECK(formula_text(-(a + b)) == "−(a + b)");
    CHECK(formula_text(attn::abs(a - b)) == "|a − b|");
    CHECK(formula_text(attn::sum_over("j", a + b)) == "∑_j (a + b)");
    CHECK(formula_text(attn::sum_over("j", a * b)) == "∑_j a · b");
    CHECK(formula_text(a + attn::sum_over("j", b)) == "a + (∑_j b)");
    CHECK(formula_text(attn::total(a)) == "∑a");
    CHECK(formula_text(attn::applied(letter("max"), {a + b, attn::max_over("j", c)})) ==
          "max(a + b, max_j c)");
    CHECK(formula_text(attn::tuple({a, a + b})) == "(a, a + b)");
    CHECK(formula_text(attn::list({a, b})) == "[a, b]");
    CHECK(formula_text(attn::as_atom(a)) == "a");
    CHECK(formula_text(attn::as_atom(attn::combined(attn::Operator::equal, a, b))) == "(a = b)");
    CHECK(formula_text(subscript(a, attn::range(attn::literal(0), attn::literal(2)))) == "a_0:2");
    CHECK(formula_text(Expr{}).empty());
    CHECK(formula_latex(Expr{}).empty());
    CHECK(Expr{}.is_empty());
}

TEST_CASE("a fraction stands on one line of text with brackets that MathML does without") {
    const Expr a = letter("a");
    const Expr b = letter("b");
    CHECK(formula_text(a / b) == "a / b");
    CHECK(formula_text((a + b) / root(b)) == "(a + b) / √b");
    CHECK(formula_text(a / (a / b)) == "a / (a / b)");
    CHECK(formula_text(juxtaposed(a, b) / b) == "(a b) / b");
    CHECK(formula_text(a / attn::total(b)) == "a / ∑b");
    CHECK(formula_text(a / attn::sum_over("j", b)) == "a / (∑_j b)");
    CHECK(formula_text(attn::applied(letter("max"), {a, b}) / b) == "max(a, b) / b");
    CHECK(formula_text(juxtaposed(a / b, b)) == "(a / b) b");
    CHECK(formula_text(a * (b / a)) == "a · b / a");
    CHECK(formula_text(root(a + b)) == "√(a + b)");
    CHECK(formula_text(-(attn::literal(1) / root(b))) == "−1 / √b");
    CHECK(formula_mathml((a + b) / b) ==
          "<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mi>b</mi></mfrac>");
    CHECK(formula_mathml(juxtaposed(a / b, b)) ==
          "<mfrac><mi>a</mi><mi>b</mi></mfrac><mo>&#x2062;</mo><mi>b</mi>");
}

TEST_CASE("what MathML wants as one element is one") {
    const Expr a = letter("a");
    const Expr b = letter("b");
    CHECK(formula_mathml(attn::literal(-1)) == "<mrow><mo>−</mo><mn>1</mn></mrow>");
    CHECK(formula_mathml(root(a + b)) == "<msqrt><mi>a</mi><mo>+</mo><mi>b</mi></msqrt>");
    CHECK(formula_mathml(subscript(a, attn::range(a, b))) ==
          "<msub><mi>a</mi><mrow><mi>a</mi><mo>:</mo><mi>b</mi></mrow></msub>");
    CHECK(formula_mathml(transposed(juxtaposed(a, b))) ==
          "<msup><mrow><mo>(</mo><mi>a</mi><mo>&#x2062;</mo><mi>b</mi><mo>)</mo></mrow><mi>T</mi></msup>");
    CHECK(formula_mathml(attn::applied(letter("f"), {a, b})) ==
          "<mrow><mi>f</mi><mo>(</mo><mi>a</mi><mo>,</mo><mi>b</mi><mo>)</mo></mrow>");
    CHECK(formula_mathml(attn::sum_over("j", cell("A"))) ==
          "<munder><mo>∑</mo><mi>j</mi></munder><msub><mi>A</mi><mi>ij</mi></msub>");
    CHECK(formula_mathml(attn::max_over("j", a)) == "<munder><mi>max</mi><mi>j</mi></munder><mi>a</mi>");
    CHECK(formula_mathml(attn::total(a) / b) == "<mfrac><mrow><mo>∑</mo><mi>a</mi></mrow><mi>b</mi></mfrac>");
}

TEST_CASE("a condition is told in words of the reader's language") {
    const auto chinese = [](std::string_view word) -> std::string {
        return word == "if" ? "若" : word == "else" ? "否则" : "保留";
    };
    const Expr masked = cases(attn::literal(-1),
                              attn::combined(attn::Operator::equal, cell("U"), attn::literal(1)), cell("S"));
    const Expr dropped = cases(cell("A") / letter("p"), attn::words("kept"), attn::literal(0));
    CHECK(formula_text(masked) == "−1 if U_ij = 1 else S_ij");
    CHECK(formula_text(dropped) == "A_ij / p if kept, else 0");
    CHECK(formula_text(masked, chinese) == "−1 若 U_ij = 1 否则 S_ij");
    CHECK(formula_text(dropped, chinese) == "A_ij / p 若 保留, 否则 0");
    CHECK(formula_text(transposed(masked)) == "(−1 if U_ij = 1 else S_ij)ᵀ");
    CHECK(formula_text(equation(cell("S"), masked)) == "S_ij = −1 if U_ij = 1 else S_ij");
    CHECK(formula_mathml(cases(attn::literal(1), attn::words("kept"), attn::literal(0))) ==
          "<mn>1</mn><mtext>\u00a0if kept, else\u00a0</mtext><mn>0</mn>");
    CHECK(formula_mathml(cases(attn::literal(1), letter("a"), attn::literal(0)), chinese) ==
          "<mn>1</mn><mtext>\u00a0若\u00a0</mtext><mi>a</mi><mtext>\u00a0否则\u00a0</mtext><mn>0</mn>");
    CHECK(formula_latex(dropped) ==
          "\\begin{cases} \\frac{A_{ij}}{p} & \\text{if } \\text{kept} \\\\ 0 & \\text{else} \\end{cases}");
}

TEST_CASE("LaTeX sets names, letters with marks and numbers as mathematics") {
    const Expr k = subscript(letter("d"), letter("k"));
    CHECK(formula_latex(juxtaposed(letter("Q"), transposed(letter("K"))) / root(k)) ==
          "\\frac{Q K^{\\top}}{\\sqrt{d_{k}}}");
    CHECK(formula_latex(transposed(letter("K′"))) == "{K'}^{\\top}");
    CHECK(formula_latex(subscript(letter("Â"), letter("ij"))) == "{\\hat{A}}_{ij}");
    CHECK(formula_latex(subscript(subscript(letter("Q"), letter("h")), letter("ij"))) == "{Q_{h}}_{ij}");
    CHECK(formula_latex(subscript(letter("d"), letter("model"))) == "d_{\\mathrm{model}}");
    CHECK(formula_latex(letter("loop_agrees")) == "\\mathit{loop\\_agrees}");
    CHECK(formula_latex(attn::applied(letter("softmax"), {letter("S")})) ==
          "\\operatorname{softmax}\\left(S\\right)");
    CHECK(formula_latex(attn::applied(letter("exp"), {-letter("x")})) == "\\exp\\left(-x\\right)");
    CHECK(formula_latex(attn::abs(letter("ΔS"))) == "\\left|\\Delta S\\right|");
    CHECK(formula_latex(attn::sum_over("j", letter("a"))) == "\\sum_{j} a");
    CHECK(formula_latex(attn::max_over("j", letter("a"))) == "\\max_{j} a");
    CHECK(formula_latex(letter("a") * digits("1e-05")) == "a \\cdot 10^{-5}");
    CHECK(formula_latex(digits("2.5e+20")) == "2.5 \\cdot 10^{20}");
    CHECK(formula_latex(attn::combined(attn::Operator::at_least, letter("j"),
                                       letter("i") + attn::literal(1))) == "j \\ge i + 1");
    CHECK(formula_latex(digits("-∞")) == "-\\infty ");
    CHECK(formula_latex(item(letter("S*"), {attn::literal(0)})) == "S^{*}\\left[0\\right]");
}
