#include "views/explain/arithmetic_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "tensor/digits.hpp"
#include "text/decimal.hpp"
#include "text/lists.hpp"

namespace attn {

namespace {

constexpr int all_digits = 20;          // this many digits identify a float32
constexpr int every_digit = 30;         // this many digits identify a double
constexpr std::size_t most_terms = 12;  // limit for a sum or a maximum
constexpr std::size_t first_terms = 4;  // a longer sum shows this many terms at both ends

// Returns the shortest digits of a number, as float32 if it is one, otherwise as double.
std::string all_digits_of(double value, int decimals) {
    const auto single = float(value);
    if (double(single) != value || decimals >= every_digit) {
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
        fmt::format(fmt::runtime(has_exponent ? "{:.{}e}" : "{:.{}f}"), value, decimals);
    const bool few = exact_decimals <= std::size_t(decimals) && exact.size() <= rounded.size();
    const std::string& text = few ? exact : rounded;
    const bool is_scaled = contains(text, 'e');
    const double scale = is_scaled ? std::pow(10.0, std::floor(std::log10(std::abs(value)))) : 1.0;
    return shown_digits(text, 0.5 * unit * scale);
}

bool has_operator(const Expr& arithmetic, Operator op) {
    return arithmetic.op == op ||
           std::ranges::any_of(arithmetic.parts, [&](const Expr& part) { return has_operator(part, op); });
}

// Removes terms that are 0 from a sum, but keeps a difference that is 0.
void leave_out_zeros(std::vector<Expr>& terms) {
    const auto is_zero = [](const Expr& term) {
        return !has_operator(term, Operator::difference) && term.value() == 0.0;
    };
    if (std::ranges::all_of(terms, is_zero)) {
        terms.resize(1);
    } else {
        std::erase_if(terms, is_zero);
    }
}

// Says which terms a line leaves out.
std::string remark(const DerivationLine& line, const Words& words, int precision) {
    std::string text;
    if (line.zeros > 0) {
        text += words("zeros", {{"count", std::to_string(line.zeros)}});
    }
    for_each_number(line.arithmetic, [&](const Leaf& leaf) {
        if (leaf.from == Leaf::From::rest) {
            text +=
                (text.empty() ? "" : "; ") + words("summed", {{"number", number_text(leaf.value, precision)},
                                                              {"count", std::to_string(line.summed)}});
        }
    });
    return text;
}

}  // namespace

std::string index_text(const Index& index, std::size_t rank) {
    return rank == 0 ? "" : fmt::format("[{}]", fmt::join(std::span(index).first(rank), "]["));
}

std::string cell_name(const Node& node, const Index& index) {
    return node.name + index_text(index, node.value.rank());
}

std::string number_text(double value, int decimals) {
    return shown_number(value, decimals).text;
}

DerivationLine shortened(DerivationLine line) {
    std::vector<Expr>& terms = line.arithmetic.parts;
    const std::size_t all = terms.size();
    if (line.arithmetic.op == Operator::sum) {
        leave_out_zeros(terms);
    } else if (line.arithmetic.op != Operator::maximum) {
        return line;
    }
    line.zeros = all - terms.size();
    if (terms.size() > most_terms) {  // the value of the middle takes its place
        Expr middle = line.arithmetic;
        middle.parts.assign(terms.begin() + first_terms, terms.end() - 1);
        line.summed = middle.parts.size();
        terms.erase(terms.begin() + first_terms, terms.end() - 1);
        terms.insert(terms.end() - 1, rest(middle.value()));
    }
    return line;
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
    const DerivationLine line = shortened(whole);
    const Node& node = notebook.nodes()[line.node];
    ArithmeticText text;
    text.label = !line.part.empty()  ? words("part " + std::string(line.part))
                 : node.name.empty() ? ""
                                     : cell_name(node, line.index);
    text.names = names_of(notebook, line.arithmetic, language);
    text.remark = remark(line, words, precision);
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
    std::vector<std::pair<int, int>> attempts;  // the decimals of the numbers, and of the result
    for (int more = 0; more <= more_digits; ++more) {
        attempts.emplace_back(precision + more, precision);
    }
    attempts.emplace_back(every_digit, precision);
    // A value near the middle of two decimals may be rounded to the other decimal in float32. One more digit
    // shows this.
    for (int more = 0; more <= more_digits; ++more) {
        attempts.emplace_back(all_digits, precision + more);
    }
    const bool is_found = std::ranges::any_of(attempts, [&](const auto& attempt) {
        return is_true(attempt.first, shown_number(line.value, attempt.second));
    });
    // If the exact result is 0, a tiny number consists only of rounding errors.
    const double unit = std::pow(10.0, -precision);
    if (!is_found &&
        (std::abs(line.value) >= unit ||
         !is_true(precision, shown_digits(fmt::format("{:.{}f}", line.value, precision), 0.5 * unit)))) {
        is_true(all_digits, shown_number(line.value, precision));
    }
    text.pieces =
        in_pieces(line.arithmetic, [&](const Leaf& leaf) { return number_text(leaf.value, digits); });
    return text;
}

}  // namespace attn
