#include "views/explain/arithmetic_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "tensor/digits.hpp"
#include "text/decimal.hpp"

namespace attn {

namespace {

constexpr int all_digits = 20;          // this many digits identify a float32
constexpr int every_digit = 30;         // this many digits identify a double
constexpr std::size_t most_terms = 12;  // limit for a sum or a maximum
constexpr std::size_t first_terms = 4;  // a longer sum shows this many terms at both ends

std::string digits_of(double value, std::chars_format format, int decimals) {
    char text[400];  // 1.8e308 without an exponent has 309 digits
    return {text, std::to_chars(std::begin(text), std::end(text), value, format, decimals).ptr};
}

// Returns the shortest digits of a number, as float32 if it is one, otherwise as double.
std::string all_digits_of(double value, int decimals) {
    const auto single = static_cast<float>(value);
    if (static_cast<double>(single) != value || decimals >= every_digit) {
        return shortest_digits(value);
    }
    std::string digits = shortest_digits(single);
    return digits.ends_with(".0") ? digits.substr(0, digits.size() - 2) : digits;
}

// A number as text, the value that the text has, and its largest possible rounding error.
struct ShownNumber {
    std::string text;
    double value;
    double half_unit;

    // Returns true if a value would be rounded to the same text.
    bool rounds(double other) const {
        if (std::isnan(value)) {
            return std::isnan(other);
        }
        constexpr double slack = 1e-9;  // the rounding error of 0.5 in double
        return other == value || std::abs(other - value) <= half_unit * (1 + slack);
    }
};

ShownNumber shown_digits(std::string digits, double half_unit) {
    double value = 0.0;
    read_double(digits, value);
    return {std::move(digits), value, half_unit};
}

ShownNumber shown_number(double value, int decimals) {
    if (std::isnan(value)) {
        return {"nan", value, 0.0};
    }
    if (std::isinf(value)) {
        return {value < 0 ? "-inf" : "inf", value, 0.0};
    }
    constexpr double large = 1e7;
    const double unit = std::pow(10.0, -decimals);
    const bool has_exponent = value != 0.0 && (std::abs(value) < unit || std::abs(value) >= large);
    const std::string exact = all_digits_of(value, decimals);
    const std::size_t exponent = std::min(exact.find('e'), exact.size());
    const std::size_t point = std::min(exact.find('.'), exponent);
    const std::size_t exact_decimals = exponent - std::min(point + 1, exponent);
    const std::string rounded =
        digits_of(value, has_exponent ? std::chars_format::scientific : std::chars_format::fixed, decimals);
    const bool few = exact_decimals <= static_cast<std::size_t>(decimals) && exact.size() <= rounded.size();
    const std::string& text = few ? exact : rounded;
    const bool is_scaled = text.find('e') != std::string::npos;
    const double scale = is_scaled ? std::pow(10.0, std::floor(std::log10(std::abs(value)))) : 1.0;
    return shown_digits(text, 0.5 * unit * scale);
}

bool contains(const Expr& arithmetic, Operator op) {
    return arithmetic.op == op ||
           std::ranges::any_of(arithmetic.parts, [&](const Expr& part) { return contains(part, op); });
}

// Removes terms that are 0 from a sum, but keeps a difference that is 0.
void leave_out_zeros(std::vector<Expr>& terms) {
    const auto is_zero = [](const Expr& term) {
        return !contains(term, Operator::difference) && term.value() == 0.0;
    };
    if (std::ranges::all_of(terms, is_zero)) {
        terms.resize(1);
    } else {
        std::erase_if(terms, is_zero);
    }
}

// Replaces the middle of a long sum or maximum by its value.
void put_together(Expr& line) {
    const auto from = line.parts.begin() + first_terms;
    const auto to = line.parts.end() - 1;
    Expr middle = line;
    middle.parts.assign(from, to);
    *from = rest(middle.value());
    line.parts.erase(from + 1, to);
}

// Says which terms a line leaves out.
std::string remark(const ShortLine& line, const Words& words, int precision) {
    std::string text;
    if (line.zeros > 0) {
        text += words("zeros", {{"count", std::to_string(line.zeros)}});
    }
    for_each_number(line.line.arithmetic, [&](const Leaf& leaf) {
        if (leaf.from == Leaf::From::rest) {
            text +=
                (text.empty() ? "" : "; ") + words("summed", {{"number", number_text(leaf.value, precision)},
                                                              {"count", std::to_string(line.summed)}});
        }
    });
    return text;
}

}  // namespace

std::string cell_name(const Node& node, const Index& index) {
    std::string name = node.name;
    for (std::size_t axis = 0; axis < node.value.rank(); ++axis) {
        name += fmt::format("[{}]", index[axis]);
    }
    return name;
}

std::string number_text(double value, int decimals) {
    return shown_number(value, decimals).text;
}

ShortLine shortened(const DerivationLine& line) {
    ShortLine result{line};
    Expr& arithmetic = result.line.arithmetic;
    if (arithmetic.op == Operator::sum) {
        const std::size_t all = arithmetic.parts.size();
        leave_out_zeros(arithmetic.parts);
        result.zeros = all - arithmetic.parts.size();
    } else if (arithmetic.op != Operator::maximum) {
        return result;
    }
    if (const std::size_t left = arithmetic.parts.size(); left > most_terms) {
        put_together(arithmetic);
        result.summed = left - arithmetic.parts.size() + 1;
    }
    return result;
}

std::vector<TextPiece> names_of(const Notebook& notebook, const Expr& arithmetic, Language language) {
    bool has_cell = false;
    bool has_line = false;  // an earlier line is used, which has no name
    for_each_number(arithmetic, [&](const Leaf& leaf) {
        has_cell = has_cell || leaf.from == Leaf::From::cell;
        has_line = has_line || leaf.from == Leaf::From::line;
    });
    if (!has_cell || has_line) {
        return {};
    }
    return in_pieces(arithmetic, [&](const Leaf& leaf) -> std::string {
        if (leaf.from == Leaf::From::cell) {
            return cell_name(notebook.nodes()[leaf.tensor], leaf.index);
        }
        if (leaf.from == Leaf::From::rest) {
            return "…";
        }
        return leaf.spelling ? leaf.text(language) : number_text(leaf.value, all_digits);
    });
}

std::string ArithmeticText::equation() const {
    return fmt::format("{}{}{}", text_of(pieces), exact ? " = " : " ≈ ", result);
}

ArithmeticText arithmetic_text(const Notebook& notebook, const DerivationLine& whole, const Words& words,
                               int precision, Language language) {
    const ShortLine shorter = shortened(whole);
    const DerivationLine& line = shorter.line;
    const Node& node = notebook.nodes()[line.node];
    ArithmeticText text;
    text.label = !line.part.empty()  ? words("part " + std::string(line.part))
                 : node.name.empty() ? ""
                                     : cell_name(node, line.index);
    text.names = names_of(notebook, line.arithmetic, language);
    text.remark = remark(shorter, words, precision);
    constexpr int more_digits = 6;
    int digits = 0;  // the decimals of the numbers
    const auto is_true = [&](int decimals, const ShownNumber& result) {
        const Expr as_shown = replaced(line.arithmetic, [&](const Leaf& leaf) {
            return number(shown_number(leaf.value, decimals).value);
        });
        digits = decimals;
        text.result = result.text;
        text.exact = result.rounds(as_shown.value());
        return text.exact;
    };
    const auto find_digits = [&] {
        for (int decimals = precision; decimals <= precision + more_digits; ++decimals) {
            if (is_true(decimals, shown_number(line.value, precision))) {
                return;
            }
        }
        if (is_true(every_digit, shown_number(line.value, precision))) {
            return;
        }
        // A value near the middle of two decimals may be rounded to the other decimal in float32. One more
        // digit shows this.
        for (int decimals = precision; decimals <= precision + more_digits; ++decimals) {
            if (is_true(all_digits, shown_number(line.value, decimals))) {
                return;
            }
        }
        // If the exact result is 0, a tiny number consists only of rounding errors.
        const double unit = std::pow(10.0, -precision);
        const std::string fixed = digits_of(line.value, std::chars_format::fixed, precision);
        if (std::abs(line.value) < unit && is_true(precision, shown_digits(fixed, 0.5 * unit))) {
            return;
        }
        is_true(all_digits, shown_number(line.value, precision));
    };
    find_digits();
    text.pieces =
        in_pieces(line.arithmetic, [&](const Leaf& leaf) { return number_text(leaf.value, digits); });
    return text;
}

}  // namespace attn
