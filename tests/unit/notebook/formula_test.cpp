// Formulas as trees: brackets and text.
#include <doctest/doctest.h>

#include "notebook/expression.hpp"
#include "notebook/ops.hpp"
#include "notebook/render.hpp"

using namespace attn;

namespace {

using Formulas = std::vector<std::pair<Expr, std::string_view>>;

void agree(std::string (*notation)(const Expr&, const FormulaWord&), const Formulas& rows,
           const FormulaWord& word = in_english) {
    for (const auto& [formula, text] : rows) {
        CHECK(notation(formula, word) == text);
    }
}

Expr digits(std::string_view text) {
    return named({Leaf::From::constant}, {{std::string(text)}});
}

const Expr a = letter("a");
const Expr b = letter("b");
const Expr c = letter("c");
const Expr cell = subscript(letter("S"), letter("ij"));
const Expr masked = cases(literal(-1), combined(Operator::equal, a, literal(1)), cell);
const Expr dropped = cases(a / b, words("kept"), literal(0));

}  // namespace

TEST_CASE("a formula has brackets where it needs them and nowhere else") {
    agree(formula_text, {{a + b + c, "a + b + c"},
                         {a + (b + c), "a + (b + c)"},
                         {a - (b - c), "a − (b − c)"},
                         {a - b * c, "a − b · c"},
                         {(a - b) * c, "(a − b) · c"},
                         {a * (b * c), "a · (b · c)"},
                         {juxtaposed(a + b, c), "(a + b) c"},
                         {juxtaposed(a / b, b), "(a / b) b"},
                         {transposed(a), "aᵀ"},
                         {transposed(a / b), "(a / b)ᵀ"},
                         {transposed(masked), "(−1 if a = 1 else S_ij)ᵀ"},
                         {subscript(juxtaposed(a, b), letter("ij")), "(a b)_ij"},
                         {subscript(a, range(literal(0), literal(2))), "a_0:2"},
                         {item(a - b, {literal(1), literal(0)}), "(a − b)[1, 0]"},
                         {-a + b, "−a + b"},
                         {a - -b, "a − (−b)"},
                         {a * -digits("0.5"), "a · (−0.5)"},
                         {-(a + b), "−(a + b)"},
                         {-(literal(1) / root(b)), "−1 / √b"},
                         {abs(a - b), "|a − b|"},
                         {sum_over("j", a + b), "∑_j (a + b)"},
                         {sum_over("j", a * b), "∑_j a · b"},
                         {a + sum_over("j", b), "a + (∑_j b)"},
                         {a / sum_over("j", b), "a / (∑_j b)"},
                         {a / total(b), "a / ∑b"},
                         {(a + b) / root(b + c), "(a + b) / √(b + c)"},
                         {a / (a / b), "a / (a / b)"},
                         {a * (b / a), "a · b / a"},
                         {juxtaposed(a, b) / b, "(a b) / b"},
                         {applied(letter("max"), {a + b, max_over("j", c)}), "max(a + b, max_j c)"},
                         {tuple({a, a + b}), "(a, a + b)"},
                         {list({a, b}), "[a, b]"},
                         {as_atom(a), "a"},
                         {as_atom(combined(Operator::equal, a, b)), "(a = b)"},
                         {Expr{}, ""}});
}

TEST_CASE("a condition has words of the reader's language") {
    agree(formula_text, {{masked, "−1 if a = 1 else S_ij"}, {dropped, "a / b if kept, else 0"}});
    agree(formula_text, {{masked, "−1 若 a = 1 否则 S_ij"}, {dropped, "a / b 若 保留, 否则 0"}},
          [](std::string_view word) { return word == "if"     ? "若"
                                             : word == "else" ? "否则"
                                                              : "保留"; });
}

TEST_CASE("in MathML, what must be one element is one") {
    agree(formula_mathml,
          {{literal(-1), "<mrow><mo>−</mo><mn>1</mn></mrow>"},
           {(a + b) / c, "<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mi>c</mi></mfrac>"},
           {juxtaposed(a / b, c), "<mfrac><mi>a</mi><mi>b</mi></mfrac><mo>&#x2062;</mo><mi>c</mi>"},
           {root(a + b), "<msqrt><mi>a</mi><mo>+</mo><mi>b</mi></msqrt>"},
           {subscript(a, range(a, b)), "<msub><mi>a</mi><mrow><mi>a</mi><mo>:</mo><mi>b</mi></mrow></msub>"},
           {transposed(a + b),
            "<msup><mrow><mo>(</mo><mi>a</mi><mo>+</mo><mi>b</mi><mo>)</mo></mrow><mi>T</mi></msup>"},
           {applied(letter("f"), {a, b}),
            "<mrow><mi>f</mi><mo>(</mo><mi>a</mi><mo>,</mo><mi>b</mi><mo>)</mo></mrow>"},
           {sum_over("j", cell), "<munder><mo>∑</mo><mi>j</mi></munder><msub><mi>S</mi><mi>ij</mi></msub>"},
           {total(a) / b, "<mfrac><mrow><mo>∑</mo><mi>a</mi></mrow><mi>b</mi></mfrac>"},
           {cases(a, words("kept"), b), "<mi>a</mi><mtext>\u00a0if kept, else\u00a0</mtext><mi>b</mi>"},
           {cases(a, b, c),
            "<mi>a</mi><mtext>\u00a0if\u00a0</mtext><mi>b</mi><mtext>\u00a0else\u00a0</mtext><mi>c</mi>"}});
}

TEST_CASE("LaTeX sets names, letters with marks and numbers as mathematics") {
    agree(formula_latex,
          {{juxtaposed(a, transposed(b)) / root(subscript(letter("d"), letter("k"))),
            "\\frac{a b^{\\top}}{\\sqrt{d_{k}}}"},
           {transposed(letter("K′")), "{K'}^{\\top}"},
           {subscript(letter("Â"), letter("ij")), "{\\hat{A}}_{ij}"},
           {subscript(subscript(a, letter("h")), letter("ij")), "{a_{h}}_{ij}"},
           {subscript(a, letter("model")), "a_{\\mathrm{model}}"},
           {letter("loop_agrees"), "\\mathit{loop\\_agrees}"},
           {applied(letter("softmax"), {a}), "\\operatorname{softmax}\\left(a\\right)"},
           {applied(letter("exp"), {-a}), "\\exp\\left(-a\\right)"},
           {abs(letter("ΔS")), "\\left|\\Delta S\\right|"},
           {max_over("j", a), "\\max_{j} a"},
           {a * digits("2.5e-05"), "a \\cdot 2.5 \\cdot 10^{-5}"},
           {digits("1e+20"), "10^{20}"},
           {combined(Operator::at_least, a, b + literal(1)), "a \\ge b + 1"},
           {-digits("∞"), "-\\infty "},
           {item(letter("S*"), {literal(0)}), "S^{*}\\left[0\\right]"},
           {dropped,
            "\\begin{cases} \\frac{a}{b} & \\text{if } \\text{kept} \\\\ 0 & \\text{else} \\end{cases}"},
           {Expr{}, ""}});
}

TEST_CASE("a call that returns its operand shows it in brackets, and given numbers have no formula") {
    Notebook nb;
    const Var a = nb.step({"a", "A"}, parameter(nb.given(Tensor({2, 2}))));
    const Var b = nb.step({"b", "B"}, parameter(a - a * literal(2)));
    CHECK(equation_of(nb, a.id).is_empty());
    CHECK(formula_text(equation_of(nb, b.id)) == "B = (A − 2 · A)");
}
