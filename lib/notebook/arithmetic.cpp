#include "notebook/arithmetic.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <iterator>
#include <limits>
#include <numbers>
#include <utility>

#include "tensor/digits.hpp"

namespace attn {

namespace {

using Kind = Arithmetic::Kind;

// How a kind is written, and how tightly it holds together.
struct Notation {
    Kind kind;
    std::string_view sign;  // between its parts; of a function, its name
    Binding binding;
};

constexpr std::array<Notation, 16> notations{{
    {Kind::leaf, "", Binding::atom},
    {Kind::sum, " + ", Binding::sum},
    {Kind::difference, " − ", Binding::sum},
    {Kind::product, " · ", Binding::product},
    {Kind::tight_product, "·", Binding::tight},
    {Kind::quotient, " / ", Binding::product},
    {Kind::maximum, "max", Binding::atom},
    {Kind::exp, "exp", Binding::atom},
    {Kind::ln, "ln", Binding::atom},
    {Kind::sin, "sin", Binding::atom},
    {Kind::cos, "cos", Binding::atom},
    {Kind::sqrt, "sqrt", Binding::atom},
    {Kind::abs, "abs", Binding::atom},
    {Kind::at_most, " ≤ ", Binding::atom},
    {Kind::equal, " = ", Binding::atom},
    {Kind::not_equal, " ≠ ", Binding::atom},
}};

const Notation& notation(Kind kind) {
    return notations[static_cast<std::size_t>(kind)];
}

bool is_comparison(Kind kind) {
    return kind == Kind::at_most || kind == Kind::equal || kind == Kind::not_equal;
}

double in_float32_range(double value) {
    constexpr auto most = static_cast<double>(std::numeric_limits<float>::max());
    return std::abs(value) > most ? std::copysign(std::numeric_limits<double>::infinity(), value) : value;
}

double computed(const Arithmetic& x) {
    const auto part = [&](std::size_t i) { return evaluate(x.parts[i]); };
    switch (x.kind) {
        case Kind::leaf:
            return x.leaf.value;
        case Kind::sum: {
            double total = part(0);
            for (std::size_t i = 1; i < x.parts.size(); ++i) {
                total += part(i);
            }
            return total;
        }
        case Kind::difference:
            return part(0) - part(1);
        case Kind::product:
        case Kind::tight_product:
            return part(0) * part(1);
        case Kind::quotient:
            return part(0) / part(1);
        case Kind::maximum: {
            double largest = part(0);
            for (std::size_t i = 1; i < x.parts.size(); ++i) {
                const double next = part(i);
                largest = std::isnan(next) ? next : std::max(largest, next);  // which keeps a NaN it has
            }
            return largest;
        }
        case Kind::exp:
            return std::exp(part(0));
        case Kind::ln:
            return std::log(part(0));
        case Kind::sin:
            return std::sin(part(0));
        case Kind::cos:
            return std::cos(part(0));
        case Kind::sqrt:
            return std::sqrt(part(0));
        case Kind::abs:
            return std::abs(part(0));
        case Kind::at_most:
            return part(0) <= part(1) ? 1.0 : 0.0;
        case Kind::equal:
            return part(0) == part(1) ? 1.0 : 0.0;
        default:
            return part(0) != part(1) ? 1.0 : 0.0;
    }
}

std::string constant_text(double value) {
    if (value == std::numbers::pi) {
        return "π";
    }
    return value < 0 ? "−" + shortest_digits(-value) : shortest_digits(value);
}

class Writer {
public:
    explicit Writer(const WriteLeaf& write) : write_(write) {}

    // `opens`: nothing stands in front of it but an opening bracket, a comma or a sign of comparison.
    void write(const Arithmetic& x, bool opens) {
        const std::string_view sign = attn::sign(x.kind);
        switch (x.kind) {
            case Kind::leaf:
                write_leaf(x.leaf, opens);
                break;
            case Kind::sum:  // terms group either way
                for (std::size_t i = 0; i < x.parts.size(); ++i) {
                    if (i > 0) {
                        break_term();
                        put(sign);
                    }
                    write_operand(x.parts[i], Binding::sum, true, opens && i == 0);
                }
                break;
            case Kind::quotient:
                write_operand(x.parts[0], Binding::product, true, opens);
                put(sign);
                write_operand(x.parts[1], Binding::tight, false, false);
                break;
            case Kind::difference:
            case Kind::product:
            case Kind::tight_product:
                write_operand(x.parts[0], x.binding(), true, opens);
                put(sign);
                write_operand(x.parts[1], x.binding(), false, false);
                break;
            default:
                is_comparison(x.kind) ? write_comparison(x) : write_function(x);
        }
    }

    std::vector<std::string> pieces = {""};

private:
    void put(std::string_view text) { pieces.back() += text; }

    void break_term() {
        if (depth_ == 0) {
            pieces.emplace_back();
        }
    }

    void write_leaf(const Leaf& leaf, bool opens) {
        const std::string text = leaf.from == Leaf::From::constant ? constant_text(leaf.value) : write_(leaf);
        put(text.starts_with("−") && !opens ? "(" + text + ")" : text);
    }

    void write_operand(const Arithmetic& x, Binding place, bool is_first, bool opens) {
        if (!needs_brackets(x.binding(), place, is_first)) {
            write(x, opens);
            return;
        }
        open("(");
        write(x, true);
        close(")");
    }

    void write_function(const Arithmetic& x) {
        put(sign(x.kind));
        open("(");
        for (std::size_t i = 0; i < x.parts.size(); ++i) {
            if (i > 0) {
                put(",");
                pieces.emplace_back(" ");
            }
            write(x.parts[i], true);
        }
        close(")");
    }

    void write_comparison(const Arithmetic& x) {
        open("[");
        write(x.parts[0], true);
        put(sign(x.kind));
        write(x.parts[1], true);
        close("]");
    }

    void open(std::string_view bracket) {
        put(bracket);
        ++depth_;
    }

    void close(std::string_view bracket) {
        put(bracket);
        --depth_;
    }

    const WriteLeaf& write_;
    int depth_ = 0;  // of open brackets
};

template <std::same_as<Arithmetic>... Parts>
Arithmetic made(Kind kind, Parts... parts) {
    Arithmetic result{kind};
    result.parts.reserve(sizeof...(parts));
    (result.parts.push_back(std::move(parts)), ...);
    return result;
}

}  // namespace

Binding Arithmetic::binding() const {
    return notation(kind).binding;
}

std::string_view sign(Kind kind) {
    return notation(kind).sign;
}

Arithmetic constant(double value) {
    return {Kind::leaf, {Leaf::From::constant, value}};
}

Arithmetic number(double value, const Number* reads) {
    return {Kind::leaf, {Leaf::From::number, value, 0, {}, reads}};
}

Arithmetic cell_of(std::size_t tensor, const Index& index) {
    return {Kind::leaf, {Leaf::From::cell, 0.0, tensor, index}};
}

Arithmetic earlier_line(std::size_t which) {
    return {Kind::leaf, {Leaf::From::line, 0.0, which}};
}

Arithmetic operator+(Arithmetic a, Arithmetic b) {
    std::vector<Arithmetic> terms;
    terms.push_back(std::move(a));
    terms.push_back(std::move(b));
    return sum_of(std::move(terms));
}

Arithmetic operator-(Arithmetic a, Arithmetic b) {
    return made(Kind::difference, std::move(a), std::move(b));
}

Arithmetic operator*(Arithmetic a, Arithmetic b) {
    return made(Kind::product, std::move(a), std::move(b));
}

Arithmetic operator/(Arithmetic a, Arithmetic b) {
    return made(Kind::quotient, std::move(a), std::move(b));
}

Arithmetic tight(Arithmetic a, Arithmetic b) {
    return made(Kind::tight_product, std::move(a), std::move(b));
}

Arithmetic exp(Arithmetic x) {
    return made(Kind::exp, std::move(x));
}

Arithmetic ln(Arithmetic x) {
    return made(Kind::ln, std::move(x));
}

Arithmetic sin(Arithmetic x) {
    return made(Kind::sin, std::move(x));
}

Arithmetic cos(Arithmetic x) {
    return made(Kind::cos, std::move(x));
}

Arithmetic sqrt(Arithmetic x) {
    return made(Kind::sqrt, std::move(x));
}

Arithmetic abs(Arithmetic x) {
    return made(Kind::abs, std::move(x));
}

Arithmetic at_most(Arithmetic a, Arithmetic b) {
    return made(Kind::at_most, std::move(a), std::move(b));
}

Arithmetic equal(Arithmetic a, Arithmetic b) {
    return made(Kind::equal, std::move(a), std::move(b));
}

Arithmetic not_equal(Arithmetic a, Arithmetic b) {
    return made(Kind::not_equal, std::move(a), std::move(b));
}

Arithmetic sum_of(std::vector<Arithmetic> terms) {
    if (terms.size() == 1) {
        return std::move(terms[0]);
    }
    if (std::ranges::find(terms, Kind::sum, &Arithmetic::kind) != terms.end()) {  // a sum of sums is one sum
        std::vector<Arithmetic> all;
        for (Arithmetic& term : terms) {
            if (term.kind == Kind::sum) {
                std::ranges::move(term.parts, std::back_inserter(all));
            } else {
                all.push_back(std::move(term));
            }
        }
        terms = std::move(all);
    }
    return {Kind::sum, {}, std::move(terms)};
}

Arithmetic maximum_of(std::vector<Arithmetic> numbers) {
    return {Kind::maximum, {}, std::move(numbers)};
}

void for_each_number(const Arithmetic& arithmetic, const std::function<void(const Leaf&)>& tell) {
    if (arithmetic.is_one_number()) {
        tell(arithmetic.leaf);
    }
    for (const Arithmetic& part : arithmetic.parts) {
        for_each_number(part, tell);
    }
}

std::size_t count_numbers(const Arithmetic& arithmetic) {
    std::size_t count = 0;
    for_each_number(arithmetic, [&](const Leaf&) { ++count; });
    return count;
}

Arithmetic replaced(const Arithmetic& arithmetic, const std::function<Arithmetic(const Leaf&)>& by) {
    if (arithmetic.kind == Kind::leaf) {
        return arithmetic.is_one_number() ? by(arithmetic.leaf) : arithmetic;
    }
    std::vector<Arithmetic> parts;
    parts.reserve(arithmetic.parts.size());
    for (const Arithmetic& part : arithmetic.parts) {
        parts.push_back(replaced(part, by));
    }
    return arithmetic.kind == Kind::sum ? sum_of(std::move(parts))
                                        : Arithmetic{arithmetic.kind, {}, std::move(parts)};
}

double evaluate(const Arithmetic& arithmetic) {
    return in_float32_range(computed(arithmetic));
}

std::vector<std::string> in_pieces(const Arithmetic& arithmetic, const WriteLeaf& write) {
    Writer writer(write);
    writer.write(arithmetic, true);
    return std::move(writer.pieces);
}

std::string written(const Arithmetic& arithmetic, const WriteLeaf& write) {
    return fmt::format("{}", fmt::join(in_pieces(arithmetic, write), ""));
}

}  // namespace attn
