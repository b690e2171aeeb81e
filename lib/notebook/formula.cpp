// Three renderings of one tree. In a line of text a fraction lies down, so that its parts may need brackets
// which the others do without.
#include "notebook/formula.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

namespace attn {

namespace {

Formula in_brackets(const Formula& x) {
    return tuple({x});
}

Formula operand(const Formula& x, Binding place, bool is_first = true) {
    return needs_brackets(x.binding(), place, is_first) ? in_brackets(x) : x;
}

Formula infix(const Formula& a, Operator op, const Formula& b) {
    const Binding binding = row_of(op).binding;
    return {Formula::Kind::infix, "", {operand(a, binding), operand(b, binding, false)}, op};
}

Formula list(std::string_view brackets, std::vector<Formula> parts) {
    return {Formula::Kind::list, std::string(brackets), std::move(parts)};
}

// The parts of a formula in one rendering, joined.
template <typename Write>
std::string joined(const std::vector<Formula>& parts, std::string_view separator, Write write) {
    std::vector<std::string> texts;
    std::ranges::transform(parts, std::back_inserter(texts), write);
    return fmt::format("{}", fmt::join(texts, separator));
}

// The words between a value, its condition and the other value: " if ", " else ". A condition in words has
// all of them: " if kept, else ".
struct CaseWords {
    std::string before, after;
    bool hold_condition;
};

CaseWords case_words(const Formula& cases, const FormulaWord& word) {
    const Formula& condition = cases.parts[1];
    return condition.kind == Formula::Kind::words
               ? CaseWords{fmt::format(" {} {}, {} ", word("if"), word(condition.text), word("else")), "",
                           true}
               : CaseWords{fmt::format(" {} ", word("if")), fmt::format(" {} ", word("else")), false};
}

class Text {
public:
    explicit Text(const FormulaWord& word) : word_(word) {}

    std::string operator()(const Formula& x) const {
        const auto part = [&](std::size_t i) { return (*this)(x.parts[i]); };
        switch (x.kind) {
            case Formula::Kind::none:
                return "";
            case Formula::Kind::words:
                return word_(x.text);
            case Formula::Kind::infix:
                return x.op == Operator::matrix_product
                           ? fmt::format("{} {}", upright(x.parts[0]), upright(x.parts[1]))
                           : fmt::format("{}{}{}", part(0), row_of(x.op).text, part(1));
            case Formula::Kind::negative:
                return "−" + part(0);
            case Formula::Kind::fraction:
                return fmt::format("{} / {}", one_word(x.parts[0]), one_word(x.parts[1]));
            case Formula::Kind::root:
                return "√" + (*this)(as_atom(x.parts[0]));
            case Formula::Kind::subscript: {
                std::string index = part(1);
                std::erase(index, ' ');
                return part(0) + "_" + index;
            }
            case Formula::Kind::transposed:
                return part(0) + "ᵀ";
            case Formula::Kind::list:
                return x.text.front() + joined(x.parts, ", ", *this) + x.text.back();
            case Formula::Kind::applied:
                return part(0) + part(1);
            case Formula::Kind::over:
                return x.parts.size() == 1 ? x.text + part(0)
                                           : fmt::format("{}_{} {}", x.text, part(1), part(0));
            case Formula::Kind::cases: {
                const CaseWords words = case_words(x, word_);
                return part(0) + words.before + (words.hold_condition ? "" : part(1)) + words.after + part(2);
            }
            default:
                return x.text;
        }
    }

private:
    // For a fraction with a slash, which binds one word only.
    std::string one_word(const Formula& x) const {
        const std::string text = (*this)(x);
        const bool is_one = x.binding() == Binding::atom || text.find(' ') == std::string::npos;
        return is_one ? text : "(" + text + ")";
    }

    // A factor beside another without a sign between them.
    std::string upright(const Formula& x) const {
        return (*this)(x.kind == Formula::Kind::fraction ? in_brackets(x) : x);
    }

    const FormulaWord& word_;
};

class Mathml {
public:
    explicit Mathml(const FormulaWord& word) : word_(word) {}

    std::string operator()(const Formula& x) const {
        const auto part = [&](std::size_t i) { return (*this)(x.parts[i]); };
        switch (x.kind) {
            case Formula::Kind::none:
                return "";
            case Formula::Kind::symbol:
                return tagged("mi", x.text);
            case Formula::Kind::number:
                return tagged("mn", x.text);
            case Formula::Kind::words:
                return tagged("mtext", word_(x.text));
            case Formula::Kind::infix:
                return part(0) + tagged("mo", mathml_sign(x.op)) + part(1);
            case Formula::Kind::negative:
                return tagged("mrow", "<mo>−</mo>" + part(0));
            case Formula::Kind::fraction:
                return tagged("mfrac", element(x.parts[0]) + element(x.parts[1]));
            case Formula::Kind::root:
                return tagged("msqrt", part(0));
            case Formula::Kind::subscript:
                return tagged("msub", element(x.parts[0]) + element(x.parts[1]));
            case Formula::Kind::transposed:
                return tagged("msup", element(x.parts[0]) + "<mi>T</mi>");
            case Formula::Kind::list:
                return tagged("mrow", between_brackets(x));
            case Formula::Kind::applied:
                return tagged("mrow", part(0) + between_brackets(x.parts[1]));
            case Formula::Kind::over: {
                const std::string sign = tagged(x.text == "∑" ? "mo" : "mi", x.text);
                return (x.parts.size() == 1 ? sign : tagged("munder", sign + part(1))) + part(0);
            }
            default: {
                const CaseWords words = case_words(x, word_);
                return part(0) + spaced(words.before) +
                       (words.hold_condition ? "" : part(1) + spaced(words.after)) + part(2);
            }
        }
    }

private:
    static std::string tagged(std::string_view tag, std::string_view content) {
        return fmt::format("<{0}>{1}</{0}>", tag, content);
    }

    static std::string_view mathml_sign(Operator op) {
        std::string_view sign = row_of(op).text;
        sign.remove_prefix(sign.starts_with(' ') ? 1 : 0);
        sign.remove_suffix(sign.ends_with(' ') ? 1 : 0);
        return op == Operator::matrix_product ? "&#x2062;" : sign;  // invisible times
    }

    // MathML trims the spaces at the ends of its texts, but not those that do not break.
    static std::string spaced(std::string_view words) {
        return tagged("mtext", fmt::format("\u00a0{}\u00a0", words.substr(1, words.size() - 2)));
    }

    // Groups a base, an index or a part of a fraction as one element.
    std::string element(const Formula& x) const {
        const bool is_row =
            x.kind == Formula::Kind::infix || x.kind == Formula::Kind::over || x.kind == Formula::Kind::cases;
        return is_row ? tagged("mrow", (*this)(x)) : (*this)(x);
    }

    std::string between_brackets(const Formula& list) const {
        return fmt::format("<mo>{}</mo>{}<mo>{}</mo>", list.text.front(),
                           joined(list.parts, "<mo>,</mo>", *this), list.text.back());
    }

    const FormulaWord& word_;
};

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

class Latex {
public:
    explicit Latex(const FormulaWord& word) : word_(word) {}

    std::string operator()(const Formula& x) const {
        const auto part = [&](std::size_t i) { return (*this)(x.parts[i]); };
        switch (x.kind) {
            case Formula::Kind::none:
                return "";
            case Formula::Kind::symbol:
                return name(x.text, "mathit");
            case Formula::Kind::number:
                return number(x.text);
            case Formula::Kind::words:
                return in_words(word_(x.text));
            case Formula::Kind::infix:
                return fmt::format("{}{}{}", part(0), row_of(x.op).latex, part(1));
            case Formula::Kind::negative:
                return "-" + part(0);
            case Formula::Kind::fraction:
                return fmt::format("\\frac{{{}}}{{{}}}", part(0), part(1));
            case Formula::Kind::root:
                return fmt::format("\\sqrt{{{}}}", part(0));
            case Formula::Kind::subscript:
                return fmt::format("{}_{{{}}}", base(x.parts[0]), index(x.parts[1]));
            case Formula::Kind::transposed:
                return base(x.parts[0]) + "^{\\top}";
            case Formula::Kind::list:
                return fmt::format("\\left{}{}\\right{}", x.text.front(), joined(x.parts, ", ", *this),
                                   x.text.back());
            case Formula::Kind::applied:
                return (x.parts[0].kind == Formula::Kind::symbol && x.parts[1].text == "()"
                            ? function(x.parts[0].text)
                            : part(0)) +
                       part(1);
            case Formula::Kind::over: {
                const std::string sign = x.text == "∑" ? "\\sum" : function(x.text);
                return x.parts.size() == 1 ? fmt::format("{} {}", sign, part(0))
                                           : fmt::format("{}_{{{}}} {}", sign, part(1), part(0));
            }
            default:
                return fmt::format("\\begin{{cases}} {} & {} {} \\\\ {} & {} \\end{{cases}}", part(0),
                                   in_words(word_("if") + " "), part(1), part(2), in_words(word_("else")));
        }
    }

private:
    static std::string in_words(std::string_view words) { return fmt::format("\\text{{{}}}", words); }

    static std::string escaped(std::string_view text) {
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

    // One letter with its marks is set as it is, and so are indices that run, such as ij; a name of several
    // letters is one word.
    static std::string name(std::string_view text, std::string_view font) {
        const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
        const bool is_word = std::ranges::count_if(text, is_letter) > 1 &&
                             text.find_first_not_of("ijk") != std::string_view::npos;
        return is_word ? fmt::format("\\{}{{{}}}", font, escaped(text)) : escaped(text);
    }

    std::string index(const Formula& x) const {
        return x.kind == Formula::Kind::symbol ? name(x.text, "mathrm") : (*this)(x);
    }

    // The base of an index or an exponent; one that has an index already needs braces.
    std::string base(const Formula& x) const {
        const std::string text = (*this)(x);
        return text.size() == 1 ? text : "{" + text + "}";
    }

    static std::string function(std::string_view name) {
        static constexpr std::array<std::string_view, 2> known{"exp", "max"};
        return std::ranges::find(known, name) != known.end() ? fmt::format("\\{}", name)
                                                             : fmt::format("\\operatorname{{{}}}", name);
    }

    // 1e-05 as 10^{-5}
    static std::string number(std::string_view digits) {
        const std::size_t e = digits.find('e');
        if (e == std::string_view::npos) {
            return escaped(digits);
        }
        const std::string_view factor = digits.substr(0, e);
        const int exponent = std::stoi(std::string(digits.substr(e + 1)));
        return factor == "1" ? fmt::format("10^{{{}}}", exponent)
                             : fmt::format("{} \\cdot 10^{{{}}}", factor, exponent);
    }

    const FormulaWord& word_;
};

}  // namespace

Binding Formula::binding() const {
    switch (kind) {
        case Formula::Kind::infix:
            return row_of(op).binding;
        case Formula::Kind::negative:
        case Formula::Kind::over:
            return Binding::sum;
        case Formula::Kind::fraction:
            return Binding::tight;
        case Formula::Kind::cases:
            return Binding::cases;
        default:
            return Binding::atom;
    }
}

Formula letter(std::string_view name) {
    return {Formula::Kind::symbol, std::string(name)};
}

Formula symbol(std::string_view text) {
    const std::size_t bar = text.find('_');
    return bar == std::string_view::npos
               ? letter(text)
               : subscript(letter(text.substr(0, bar)), letter(text.substr(bar + 1)));
}

Formula digits(std::string_view number) {
    return number.starts_with('-') ? -digits(number.substr(1))
                                   : Formula{Formula::Kind::number, std::string(number)};
}

Formula words(std::string_view text) {
    return {Formula::Kind::words, std::string(text)};
}

Formula operator+(const Formula& a, const Formula& b) {
    return infix(a, Operator::sum, b);
}

Formula operator-(const Formula& a, const Formula& b) {
    return infix(a, Operator::difference, b);
}

Formula operator-(const Formula& x) {
    return {Formula::Kind::negative, "", {operand(x, Binding::product)}};
}

Formula operator*(const Formula& a, const Formula& b) {
    return infix(a, Operator::product, b);
}

Formula operator/(const Formula& a, const Formula& b) {
    return {Formula::Kind::fraction, "", {a, b}};
}

Formula combined(Operator op, const std::vector<Formula>& parts) {
    switch (op) {
        case Operator::quotient:
            return parts[0] / parts[1];
        case Operator::sqrt:
            return root(parts[0]);
        case Operator::abs:
            return absolute(parts[0]);
        default:
            return row_of(op).text.empty() ? applied(letter(row_of(op).code), parts)
                                           : infix(parts[0], op, parts[1]);
    }
}

Formula juxtaposed(const Formula& a, const Formula& b) {
    return infix(a, Operator::matrix_product, b);
}

Formula compared(const Formula& a, Operator comparison, const Formula& b) {
    return infix(a, comparison, b);
}

Formula equation(const Formula& left, const Formula& right) {
    return {Formula::Kind::infix, "", {left, right}, Operator::equal};
}

Formula root(const Formula& x) {
    return {Formula::Kind::root, "", {x}};
}

Formula transposed(const Formula& x) {
    return {Formula::Kind::transposed, "", {as_atom(x)}};
}

Formula subscript(const Formula& base, const Formula& index) {
    return {Formula::Kind::subscript, "", {as_atom(base), index}};
}

Formula range(const Formula& from, const Formula& to) {
    return infix(from, Operator::range, to);
}

Formula absolute(const Formula& x) {
    return list("||", {x});
}

Formula tuple(std::vector<Formula> parts) {
    return list("()", std::move(parts));
}

Formula row(std::vector<Formula> parts) {
    return list("[]", std::move(parts));
}

Formula as_atom(const Formula& x) {
    return operand(x, Binding::atom);
}

Formula applied(const Formula& function, std::vector<Formula> to) {
    return {Formula::Kind::applied, "", {as_atom(function), tuple(std::move(to))}};
}

Formula item(const Formula& x, std::vector<Formula> index) {
    return {Formula::Kind::applied, "", {as_atom(x), row(std::move(index))}};
}

Formula over(std::string_view sign, std::string_view index, const Formula& x) {
    Formula result{Formula::Kind::over, std::string(sign), {operand(x, Binding::product)}};
    if (!index.empty()) {
        result.parts.push_back(letter(index));
    }
    return result;
}

Formula cases(const Formula& value, const Formula& condition, const Formula& otherwise) {
    return {Formula::Kind::cases,
            "",
            {operand(value, Binding::sum), operand(condition, Binding::comparison),
             operand(otherwise, Binding::sum)}};
}

std::string in_english(std::string_view word) {
    return std::string(word);
}

std::string formula_text(const Formula& formula, const FormulaWord& word) {
    return Text(word)(formula);
}

std::string formula_mathml(const Formula& formula, const FormulaWord& word) {
    return Mathml(word)(formula);
}

std::string formula_latex(const Formula& formula, const FormulaWord& word) {
    return Latex(word)(formula);
}

}  // namespace attn
