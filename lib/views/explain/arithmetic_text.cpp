#include "views/explain/arithmetic_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

#include "tensor/digits.hpp"
#include "text/arithmetic.hpp"

namespace attn {

namespace {

constexpr int all_digits = 20;          // as many as give the float32 again
constexpr int every_digit = 30;         // as many as give the double again
constexpr std::size_t most_terms = 12;  // of a sum or a maximum
constexpr std::size_t first_terms = 4;  // and last, of those with too many

// Digits as to_chars writes them, with the sign in front as arithmetic writes it.
std::string with_sign(std::string digits) {
    if (digits.starts_with('-')) {
        digits.replace(0, 1, "−");
    }
    return digits;
}

std::string digits_of(double value, std::chars_format format, int decimals) {
    std::string text(400, '\0');  // 1.8e308 in full has 309
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value, format, decimals).ptr;
    text.resize(static_cast<std::size_t>(end - text.data()));
    return text;
}

// The shortest digits of a float32, or of a number between.
std::string all_digits_of(double value, int decimals) {
    const auto single = static_cast<float>(value);
    if (static_cast<double>(single) != value || decimals >= every_digit) {
        return shortest_digits(value);
    }
    std::string digits = shortest_digits(single);
    return digits.ends_with(".0") ? digits.substr(0, digits.size() - 2) : digits;
}

// A number in text, and by how much what is rounded to it may differ.
struct Shown {
    std::string text;
    double half_unit;
};

Shown shown(double value, int decimals) {
    if (std::isnan(value)) {
        return {"nan", 0.0};
    }
    if (std::isinf(value)) {
        return {value < 0 ? "−∞" : "∞", 0.0};
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
    const double scale = has_exponent ? std::pow(10.0, std::floor(std::log10(std::abs(value)))) : 1.0;
    return {with_sign(few ? exact : rounded), 0.5 * unit * scale};
}

std::string filled(std::string_view text, const std::vector<std::string>& parts) {
    std::string result;
    for (const std::string& part : parts) {
        const std::size_t place = text.find("{}");
        result += text.substr(0, place);
        text.remove_prefix(place + 2);
        const auto follows = [&](std::string_view sign) { return result.ends_with(sign); };
        const bool stands_alone = result.empty() || follows("(") || follows("[") || follows(", ") ||
                                  follows("≤ ") || follows("= ") || follows("≠ ");
        result += part.starts_with("−") && !stands_alone ? "(" + part + ")" : part;
    }
    return result += text;
}

// What is added, or compared for the largest; each with its terms.
struct Piece {
    std::string text;
    std::vector<Term> terms;

    double value() const {
        std::vector<double> values;
        for (const Term& term : terms) {
            values.push_back(term.value);
        }
        return evaluate(text, values);
    }
};

struct Pieces {
    std::string before, separator, after;
    std::vector<Piece> pieces;
};

Pieces split(const Line& line) {
    Pieces result{"", " + ", "", {}};
    std::string_view text = line.text;
    if (text.starts_with("max(") && outermost(text, ")").size() == 2 && text.ends_with(")")) {
        result = {"max(", ", ", ")", {}};
        text = text.substr(4, text.size() - 5);
    }
    auto next = line.terms.begin();
    for (const std::string_view part : outermost(text, result.separator)) {
        const auto end = next + static_cast<std::ptrdiff_t>(count_places(part));
        result.pieces.push_back({std::string(part), {next, end}});
        next = end;
    }
    return result;
}

void leave_out_zeros(std::vector<Piece>& pieces) {
    const auto is_zero = [](const Piece& piece) {
        return piece.text.find(" − ") == std::string::npos && piece.value() == 0.0;
    };
    if (std::ranges::all_of(pieces, is_zero)) {
        pieces.resize(1);
    } else {
        std::erase_if(pieces, is_zero);
    }
}

// The middle of a long row of pieces as one number.
void put_together(Pieces& all) {
    std::vector<Piece>& pieces = all.pieces;
    const auto from = pieces.begin() + first_terms;
    const auto to = pieces.end() - 1;
    double together = from->value();
    for (auto piece = from + 1; piece != to; ++piece) {
        together = all.before.empty() ? together + piece->value() : std::max(together, piece->value());
    }
    *from = {"{}", {{Term::From::rest, together}}};
    pieces.erase(from + 1, to);
}

Line joined(const Line& line, const Pieces& all) {
    Line result{line.node, line.index, line.part, all.before, {}, line.value};
    for (const Piece& piece : all.pieces) {
        result.text += (&piece == &all.pieces.front() ? "" : all.separator) + piece.text;
        result.terms.insert(result.terms.end(), piece.terms.begin(), piece.terms.end());
    }
    result.text += all.after;
    return result;
}

std::string names_of(const Notebook& notebook, const Line& line, Language language) {
    if (std::ranges::find(line.terms, Term::From::cell, &Term::from) == line.terms.end()) {
        return "";
    }
    std::vector<std::string> names;
    for (const Term& term : line.terms) {
        switch (term.from) {
            case Term::From::cell:
                names.push_back(cell_name(notebook.nodes()[term.node], term.index));
                break;
            case Term::From::number:
                names.push_back(term.reads != nullptr ? term.reads->in(language)
                                                      : number_text(term.value, all_digits));
                break;
            case Term::From::rest:
                names.emplace_back("…");
                break;
            default:  // a line has no name
                return "";
        }
    }
    return filled(line.text, names);
}

struct Attempt {
    std::string numbers;
    double value;
};

Attempt attempt(const Line& line, int decimals) {
    std::vector<std::string> texts;
    std::vector<double> values;
    for (const Term& term : line.terms) {
        texts.push_back(number_text(term.value, decimals));
        values.push_back(evaluate(texts.back()));
    }
    return {filled(line.text, texts), evaluate(line.text, values)};
}

bool rounds_to(double value, const Shown& result) {
    const double expected = evaluate(result.text);
    if (std::isnan(expected)) {
        return std::isnan(value);
    }
    constexpr double slack = 1e-9;  // what doubles leave of a decimal half
    return value == expected || std::abs(value - expected) <= result.half_unit * (1 + slack);
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
    return shown(value, decimals).text;
}

ShortLine shortened(const Line& line) {
    Pieces pieces = split(line);
    const std::size_t all = pieces.pieces.size();
    if (pieces.before.empty() && all > 1) {
        leave_out_zeros(pieces.pieces);
    }
    const std::size_t left = pieces.pieces.size();
    if (left > most_terms) {
        put_together(pieces);
    }
    const std::size_t shown = pieces.pieces.size();
    return {joined(line, pieces), all - left, left > shown ? left - shown + 1 : 0};
}

ArithmeticText arithmetic_text(const Notebook& notebook, const Line& line, int precision, Language language) {
    ArithmeticText text;
    text.names = names_of(notebook, line, language);
    constexpr int more_digits = 6;
    const auto try_out = [&](int decimals, const Shown& result) {
        const Attempt tried = attempt(line, decimals);
        text.numbers = tried.numbers;
        text.result = result.text;
        text.equal = rounds_to(tried.value, result);
        return text.equal;
    };
    for (int decimals = precision; decimals <= precision + more_digits; ++decimals) {
        if (try_out(decimals, shown(line.value, precision))) {
            return text;
        }
    }
    if (try_out(every_digit, shown(line.value, precision))) {
        return text;
    }
    // What lies near the middle of two decimals rounds otherwise in float32 than exactly; a digit more tells.
    for (int decimals = precision; decimals <= precision + more_digits; ++decimals) {
        if (try_out(all_digits, shown(line.value, decimals))) {
            return text;
        }
    }
    // Rounding on the way is all there is of a number that ought to be 0.
    const double unit = std::pow(10.0, -precision);
    const std::string fixed = with_sign(digits_of(line.value, std::chars_format::fixed, precision));
    if (std::abs(line.value) < unit && try_out(precision, {fixed, 0.5 * unit})) {
        return text;
    }
    try_out(all_digits, shown(line.value, precision));
    return text;
}

}  // namespace attn
