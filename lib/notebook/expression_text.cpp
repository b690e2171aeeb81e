// Writes expressions with the patterns of the table of operators, and decides where brackets are needed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <utility>

#include "notebook/expression.hpp"
#include "tensor/digits.hpp"

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
    void write(const Expr& x, bool opens) {
        const std::string_view pattern = row_of(x.op).in(notation_);
        if (x.op == Operator::leaf) {
            is_formula(notation_) ? write_in_formula(x.leaf, opens) : write_in_code(x.leaf, opens);
        } else if (pattern.empty()) {
            write(function_in_formula(x), opens);
        } else if (pattern.find('$') != std::string_view::npos) {
            fill(pattern, x, opens);
        } else {
            for (std::size_t i = 0; i < x.parts.size(); ++i) {
                if (i > 0) {
                    break_term(x.op);
                    put(pattern);
                }
                // Code writes terms in the order of the additions.
                const bool is_first = i == 0 || (x.op == Operator::sum && !is_formula(notation_));
                operand(x.parts[i], x.binding(notation_), is_first, opens && i == 0);
            }
        }
    }

    std::vector<TextPiece> pieces = {{}};

private:
    void put(std::string_view text) {
        if (pieces.back().number) {
            pieces.emplace_back();
        }
        pieces.back().text += text;
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

    void fill(std::string_view pattern, const Expr& x, bool opens) {
        for (std::size_t i = 0; i < pattern.size(); ++i) {
            if (pattern[i] != '$') {
                put(pattern.substr(i, 1));
                opens = false;
                continue;
            }
            const char next = pattern[++i];
            const bool has_mode = next >= 'a' && next <= 'z';
            const char place = has_mode ? pattern[++i] : next;
            if (place == '*' || place == '+') {
                write_list(std::span(x.parts).subspan(place == '+' ? 1 : 0));
            } else {
                const auto which = static_cast<std::size_t>(place - '0');
                write_part(x.parts[which], has_mode ? next : ' ', x.binding(notation_), which == 0, opens);
            }
        }
    }

    void write_part(const Expr& part, char mode, Binding whole, bool is_first, bool opens) {
        const bool is_latex = notation_ == Script::latex;
        const bool is_letter = part.leaf.from == Leaf::From::letter;
        const bool holds = part.binding(notation_) == Binding::atom;
        switch (mode) {
            case 'i':
                return inside(part);
            case 'e':
                return element(part);
            case 'r':
                return put(word_(part.leaf.text()));
            case 'f':
                return is_letter ? put(function(part.leaf.text()))
                                 : operand(part, Binding::atom, true, opens);
            case 'u': {
                const bool is_fraction = part.op == Operator::quotient || part.op == Operator::floor_quotient;
                return operand(part, is_fraction ? Binding::atom : whole, is_first, opens);
            }
            case 'w': {
                const bool is_word = apart(part).find(' ') == std::string::npos;
                return is_word || holds ? inside(part) : bracketed(part);
            }
            case 'n':
                if (notation_ == Script::mathml) {
                    return element(part);
                }
                if (is_latex) {
                    return put(is_letter ? latex_name(part.leaf.text(), "mathrm") : apart(part));
                } else {
                    std::string index = apart(part);
                    std::erase(index, ' ');
                    return put(index);
                }
            case 'b': {
                const std::string base = apart(as_atom(part));
                return is_latex && base.size() != 1 ? put("{" + base + "}") : put(base);
            }
            case 'a':
                return operand(part, Binding::atom, true, opens);
            case 't':
                return operand(part, Binding::tight, false, opens);
            case 'p':
                return operand(part, Binding::product, true, opens);
            case 's':
                return operand(part, Binding::sum, true, opens);
            case 'c':
                return operand(part, Binding::comparison, true, opens);
            default:
                return operand(part, whole, is_first, opens);
        }
    }

    void operand(const Expr& x, Binding place, bool is_first, bool opens) {
        needs_brackets(x.binding(notation_), place, is_first) ? bracketed(x) : write(x, opens);
    }

    void bracketed(const Expr& x) { fill(row_of(Operator::tuple).in(notation_), tuple({x}), true); }

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

    // Returns f(x) as a name that is applied to x.
    static Expr function_in_formula(const Expr& x) {
        const std::string_view called = row_of(x.op).text;
        return applied(letter(called.substr(0, called.find('('))), x.parts);
    }

    // Writes a base, an index or a part of a fraction as one element of MathML.
    void element(const Expr& x) {
        const std::string_view pattern = row_of(x.op).in(notation_);
        if (x.op != Operator::leaf && pattern.empty()) {
            return element(function_in_formula(x));
        }
        const bool is_row = x.op != Operator::leaf && (pattern.find('$') == std::string_view::npos ||
                                                       pattern.front() != '<' || pattern.back() != '>');
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
        return std::ranges::find(known, name) != known.end() ? fmt::format("\\{}", name)
                                                             : fmt::format("\\operatorname{{{}}}", name);
    }

    void write_in_code(const Leaf& leaf, bool opens) {
        if (leaf.from == Leaf::From::nothing) {
            return;
        }
        const std::string text = leaf.from >= Leaf::From::number && write_ ? write_(leaf)
                                 : leaf.spelling ? leaf.spelling->code[static_cast<std::size_t>(notation_)]
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

    void write_in_formula(const Leaf& leaf, bool opens) {
        if (leaf.spelling && !leaf.spelling->formula.is_empty()) {
            return write(leaf.spelling->formula, opens);
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

std::string joined(const Expr& x, Script notation, const WriteLeaf& write, const FormulaWord& word) {
    Writer writer(notation, write, word);
    writer.write(x, true);
    return text_of(writer.pieces);
}

}  // namespace

std::string Expr::in(Language language) const {
    return joined(*this, static_cast<Script>(language), nullptr, in_english);
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
    return joined(arithmetic, Script::torch, write, in_english);
}

std::string in_english(std::string_view word) {
    return std::string(word);
}

std::string formula_text(const Expr& formula, const FormulaWord& word) {
    return joined(formula, Script::text, nullptr, word);
}

std::string formula_mathml(const Expr& formula, const FormulaWord& word) {
    return joined(formula, Script::mathml, nullptr, word);
}

std::string formula_latex(const Expr& formula, const FormulaWord& word) {
    return joined(formula, Script::latex, nullptr, word);
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
