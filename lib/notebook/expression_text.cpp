// Writes expressions as code and as formulas, and decides where brackets are needed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <utility>

#include "notebook/expression.hpp"
#include "tensor/digits.hpp"
#include "text/lists.hpp"

namespace attn {

namespace {

// Characters that are commands in LaTeX, or that its fonts lack.
constexpr std::array<std::pair<std::string_view, std::string_view>, 18> latex_characters{{
    {"_", "\\_"},
    {"′", "'"},
    {"″", "''"},
    {"⁺", "^{+}"},
    {"*", "^{*}"},
    {"²", "^{2}"},
    {"₂", "_{2}"},
    {"√", "\\surd "},
    {"Â", "\\hat{A}"},
    {"Δ", "\\Delta "},
    {"α", "\\alpha "},
    {"η", "\\eta "},
    {"θ", "\\theta "},
    {"Φ", "\\Phi "},
    {"ε", "\\varepsilon "},
    {"ℓ", "\\ell "},
    {"∞", "\\infty "},
    {"∂", "\\partial "},
}};

std::string latex_escaped(std::string_view text) {
    std::string latex;
    while (!text.empty()) {
        const auto found = std::ranges::find_if(
            latex_characters, [&](const auto& character) { return text.starts_with(character.first); });
        const bool is_known = found != latex_characters.end();
        latex += is_known ? found->second : text.substr(0, 1);
        text.remove_prefix(is_known ? found->first.size() : 1);
    }
    return latex;
}

// Writes single letters and running indices such as ij unchanged, and sets a longer name as one word.
std::string latex_name(std::string_view text, std::string_view font) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const bool is_word =
        std::ranges::count_if(text, is_letter) > 1 && text.find_first_not_of("ijk") != std::string_view::npos;
    return is_word ? fmt::format("\\{}{{{}}}", font, latex_escaped(text)) : latex_escaped(text);
}

std::string digits(const Leaf& leaf) {
    return leaf.from == Leaf::From::whole   ? std::to_string(leaf.whole)
           : leaf.value == std::numbers::pi ? "pi"
                                            : shortest_digits(leaf.value);
}

// Writes an expression in one notation.
class Writer {
public:
    Writer(Script notation, const WriteLeaf& write, const FormulaWord& word)
        : notation_(notation), write_(write), word_(word) {}

    // `opens` is true after an opening bracket, a comma or a comparison, and at the beginning.
    void write(const Expr& x, bool opens) { is_formula(notation_) ? write_formula(x) : write_code(x, opens); }

    std::vector<TextPiece> pieces = {{}};

private:
    void write_code(const Expr& x, bool opens) {
        const OperatorRow& row = row_of(x.op);
        if (row.in_formulas == Binding::comparison) {
            put("(");
            inside(x.parts[0]);
            put(row.code);
            inside(x.parts[1]);
            return put(")");
        }
        switch (x.op) {
            case Operator::leaf:
                return write_in_code(x.leaf, opens);
            case Operator::negative:
                put("-");
                return operand(x.parts[0], Binding::product, true, false);
            case Operator::root:
            case Operator::float_root:
                return write_root(x);
            case Operator::floor_quotient:
                return infix(x, notation_ == Script::cpp ? " / " : row.code, opens);
            default:
                return row.name.empty() ? infix(x, row.code, opens) : call(row.name, x.parts);
        }
    }

    // Writes the root of a number of the program.
    void write_root(const Expr& x) {
        if (notation_ == Script::cpp) {
            return call("std::sqrt", x.parts);
        }
        if (notation_ == Script::numpy && x.op == Operator::float_root) {
            put("np.sqrt(");
            inside(x.parts[0]);
            return put(", dtype=np.float32)");
        }
        base(x.parts[0]);
        put("**0.5");
    }

    void write_formula(const Expr& x) {
        const OperatorRow& row = row_of(x.op);
        const std::span parts(x.parts);
        switch (x.op) {
            case Operator::leaf:
                return write_in_formula(x.leaf);
            case Operator::abs:
                return bracketed('|', parts, '|');
            case Operator::tuple:
                return bracketed('(', parts, ')');
            case Operator::list:
                return bracketed('[', parts, ']');
            case Operator::applied:
                return bracketed('(', parts.subspan(1), ')', &parts[0]);
            case Operator::item:
                return bracketed('[', parts.subspan(1), ']', &parts[0]);
            case Operator::cases:
                return cases(parts[0], parts[1], parts[2]);
            default:
                return !row.mathml.empty() ? fill(pattern_of(row), parts)
                       : row.name.empty()  ? infix(x, sign_of(row), false)
                                           : write_formula(applied(letter(row.name), x.parts));
        }
    }

    // Writes a pattern with its operands.
    void fill(std::string_view pattern, std::span<const Expr> parts) {
        for (std::size_t open = 0; (open = pattern.find('[')) != std::string_view::npos;) {
            const std::size_t close = pattern.find(']');
            const Expr& part = parts[std::size_t(pattern[open + 1] - '0')];
            const std::string_view way = pattern.substr(open + 2, close - open - 2);
            put(pattern.substr(0, open));
            way == " factor"    ? operand(part, Binding::product, true, false)
            : way == " base"    ? base(part)
            : way == " index"   ? index(part)
            : way == " element" ? element(part)
            : way == " word"    ? word(part)
                                : inside(part);
            pattern.remove_prefix(close + 1);
        }
        put(pattern);
    }

    void put(std::string_view text) {
        if (pieces.back().number) {
            pieces.emplace_back();
        }
        pieces.back().text += text;
    }

    // Puts a sign of a formula.
    void sign(std::string_view text, std::string_view latex, std::string_view mathml) {
        put(notation_ == Script::latex ? latex : notation_ == Script::mathml ? mathml : text);
    }

    std::string_view pattern_of(const OperatorRow& row) const {
        return notation_ == Script::latex ? row.latex : notation_ == Script::mathml ? row.mathml : row.text;
    }

    // Returns the sign between the operands of a formula. MathML has an invisible sign for products.
    std::string sign_of(const OperatorRow& row) const {
        if (notation_ != Script::mathml) {
            return std::string(pattern_of(row));
        }
        std::string sign(row.text);
        std::erase(sign, ' ');
        return fmt::format("<mo>{}</mo>", sign.empty() ? "&#x2062;" : sign);
    }

    void break_term(Operator op) {
        if (depth_ == 0 && op == Operator::sum) {
            begin_piece();
        }
    }

    // A line may be broken here.
    void begin_piece() {
        pieces.emplace_back();
        pieces.back().may_break = true;
    }

    // Writes an operator between its operands.
    void infix(const Expr& x, std::string_view sign, bool opens) {
        for (std::size_t i = 0; i < x.parts.size(); ++i) {
            if (i > 0) {
                break_term(x.op);
                put(sign);
            }
            // Code writes terms in the order of the additions. A fraction within a product without a sign
            // has brackets.
            const bool is_first = i == 0 || (x.op == Operator::sum && !is_formula(notation_));
            const bool is_apart =
                notation_ == Script::text && x.op == Operator::matrix_product &&
                (x.parts[i].op == Operator::quotient || x.parts[i].op == Operator::floor_quotient);
            const bool is_divisor = i > 0 && x.op == Operator::quotient;
            operand(x.parts[i],
                    is_apart     ? Binding::atom
                    : is_divisor ? Binding::tight
                                 : x.binding(notation_),
                    is_first, opens && i == 0);
        }
    }

    void cases(const Expr& value, const Expr& condition, const Expr& otherwise) {
        const bool in_words = condition.leaf.from == Leaf::From::words;
        const auto place = [&](const Expr& part, Binding binding) { operand(part, binding, true, false); };
        const std::string word_if = word_("if");
        const std::string word_else = word_("else");
        sign("", "\\begin{cases} ", "");
        place(value, Binding::sum);
        if (notation_ == Script::latex) {
            put(fmt::format(" & \\text{{{} }} ", word_if));
            place(condition, Binding::comparison);
            put(" \\\\ ");
            place(otherwise, Binding::sum);
            return put(fmt::format(" & \\text{{{}}} \\end{{cases}}", word_else));
        }
        sign(" ", "", "<mtext>\u00a0");
        put(word_if);
        if (in_words) {
            put(fmt::format(" {}, ", word_(condition.leaf.text())));
        } else {
            sign(" ", "", "\u00a0</mtext>");
            place(condition, Binding::comparison);
            sign(" ", "", "<mtext>\u00a0");
        }
        put(word_else);
        sign(" ", "", "\u00a0</mtext>");
        place(otherwise, Binding::sum);
    }

    // Writes f(a, b) in code.
    void call(std::string_view function, std::span<const Expr> parts) {
        put(function);
        put("(");
        write_list(parts);
        put(")");
    }

    // Writes (a, b) in a formula, after a function or a tensor if there is one.
    void bracketed(char open, std::span<const Expr> parts, char close, const Expr* before = nullptr) {
        const auto bracket = [&](char c, std::string_view side) {
            put(notation_ == Script::latex    ? fmt::format("\\{}{}", side, c)
                : notation_ == Script::mathml ? fmt::format("<mo>{}</mo>", c)
                                              : std::string(1, c));
        };
        sign("", "", "<mrow>");
        if (before != nullptr) {
            const bool is_function =
                notation_ == Script::latex && open == '(' && before->leaf.from == Leaf::From::letter;
            is_function ? put(function(before->leaf.text())) : operand(*before, Binding::atom, true, false);
        }
        bracket(open, "left");
        write_list(parts);
        bracket(close, "right");
        sign("", "", "</mrow>");
    }

    // Writes the base of an index or an exponent.
    void base(const Expr& x) {
        const std::string text = apart(as_atom(x));
        put(notation_ == Script::latex && text.size() != 1 ? "{" + text + "}" : text);
    }

    void index(const Expr& x) {
        if (notation_ == Script::mathml) {
            return element(x);
        }
        if (notation_ == Script::latex) {
            const bool is_letter = x.leaf.from == Leaf::From::letter;
            return put(is_letter ? latex_name(x.leaf.text(), "mathrm") : apart(x));
        }
        std::string text = apart(x);
        std::erase(text, ' ');
        put(text);
    }

    // Writes a part in brackets, unless it is one word.
    void word(const Expr& x) {
        const bool is_word = apart(x).find(' ') == std::string::npos;
        operand(x, is_word ? Binding::statement : Binding::atom, true, true);
    }

    void operand(const Expr& x, Binding place, bool is_first, bool opens) {
        if (!needs_brackets(x.binding(notation_), place, is_first)) {
            return write(x, opens);
        }
        is_formula(notation_) ? bracketed('(', {&x, 1}, ')') : call("", {&x, 1});
    }

    void inside(const Expr& x) {
        ++depth_;
        write(x, true);
        --depth_;
    }

    void write_list(std::span<const Expr> parts) {
        for (const Expr& part : parts) {
            if (&part != &parts.front()) {
                put(notation_ == Script::mathml ? "<mo>,</mo>" : ",");
                begin_piece();
                put(notation_ == Script::mathml ? "" : " ");
            }
            inside(part);
        }
    }

    // Writes a base, an index or a part of a fraction, in MathML as one element.
    void element(const Expr& x) {
        const bool has_sign = row_of(x.op).mathml.empty() && !row_of(x.op).text.empty();
        const bool is_row = notation_ == Script::mathml && (has_sign || x.op >= Operator::total);
        put(is_row ? "<mrow>" : "");
        inside(x);
        put(is_row ? "</mrow>" : "");
    }

    // Writes a part as a separate text.
    std::string apart(const Expr& x) const {
        Writer writer(notation_, write_, word_);
        writer.write(x, true);
        return text_of(writer.pieces);
    }

    static std::string function(std::string_view name) {
        static constexpr std::array<std::string_view, 2> known{"exp", "max"};
        return contains(known, name) ? fmt::format("\\{}", name) : fmt::format("\\operatorname{{{}}}", name);
    }

    void write_in_code(const Leaf& leaf, bool opens) {
        if (leaf.from == Leaf::From::nothing) {
            return;
        }
        const std::string text = leaf.is_one_number() && write_ ? write_(leaf)
                                 : leaf.spelling                ? leaf.spelling->code[std::size_t(notation_)]
                                                                : digits(leaf);
        const bool is_bracketed = text.starts_with("-") && !opens;
        put(is_bracketed ? "(" : "");
        if (leaf.is_one_number()) {
            pieces.push_back({text, leaf});
        } else {
            put(text);
        }
        put(is_bracketed ? ")" : "");
    }

    void write_in_formula(const Leaf& leaf) {
        if (leaf.spelling && !leaf.spelling->formula.is_empty()) {
            return write_formula(leaf.spelling->formula);
        }
        switch (leaf.from) {
            case Leaf::From::nothing:
                return;
            case Leaf::From::letter:
                return put_as("mi", leaf.text(), latex_name(leaf.text(), "mathit"));
            case Leaf::From::words:
                return put_as("mtext", word_(leaf.text()), fmt::format("\\text{{{}}}", word_(leaf.text())));
            default: {
                const std::string text = std::isinf(leaf.value) ? "∞"
                                         : leaf.spelling        ? leaf.text()
                                                                : digits(leaf);
                return put_as("mn", text, latex_digits(text));
            }
        }
    }

    void put_as(std::string_view tag, const std::string& text, const std::string& latex) {
        put(notation_ == Script::latex    ? latex
            : notation_ == Script::mathml ? fmt::format("<{0}>{1}</{0}>", tag, text)
                                          : text);
    }

    Script notation_;
    const WriteLeaf& write_;
    const FormulaWord& word_;
    int depth_ = 0;  // the number of open brackets
};

std::string as_text(const Expr& x, Script notation, const WriteLeaf& write, const FormulaWord& word) {
    Writer writer(notation, write, word);
    writer.write(x, true);
    return text_of(writer.pieces);
}

}  // namespace

std::string Expr::in(Language language) const {
    return as_text(*this, static_cast<Script>(language), nullptr, in_english);
}

std::string text_of(const std::vector<TextPiece>& pieces) {
    std::string text;
    for (const TextPiece& piece : pieces) {
        text += piece.text;
    }
    return text;
}

std::vector<TextPiece> in_pieces(const Expr& arithmetic, const WriteLeaf& write) {
    const FormulaWord word = in_english;
    Writer writer(Script::torch, write, word);
    writer.write(arithmetic, true);
    return std::move(writer.pieces);
}

std::string written(const Expr& arithmetic, const WriteLeaf& write) {
    return as_text(arithmetic, Script::torch, write, in_english);
}

std::string in_english(std::string_view word) {
    return std::string(word);
}

std::string formula_text(const Expr& formula, const FormulaWord& word) {
    return as_text(formula, Script::text, nullptr, word);
}

std::string formula_mathml(const Expr& formula, const FormulaWord& word) {
    return as_text(formula, Script::mathml, nullptr, word);
}

std::string formula_latex(const Expr& formula, const FormulaWord& word) {
    return as_text(formula, Script::latex, nullptr, word);
}

std::string latex_digits(std::string_view digits) {
    if (digits.starts_with('-')) {
        return "-" + latex_digits(digits.substr(1));
    }
    const std::size_t e = digits.find('e');
    if (e == std::string_view::npos) {
        return latex_escaped(digits);
    }
    const std::string_view factor = digits.substr(0, e);
    const int exponent = std::stoi(std::string(digits.substr(e + 1)));
    return factor == "1" ? fmt::format("10^{{{}}}", exponent)
                         : fmt::format("{} \\cdot 10^{{{}}}", factor, exponent);
}

}  // namespace attn
