#include "notebook/expression.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "text/lists.hpp"

namespace attn {

namespace {

double in_float32_range(double value) {
    constexpr auto most = double(std::numeric_limits<float>::max());
    return std::abs(value) > most ? std::copysign(std::numeric_limits<double>::infinity(), value) : value;
}

Expr spelled(Leaf::From from, std::string_view text) {
    return named({from}, {{std::string(text)}});
}

}  // namespace

const std::string& Leaf::text(Language language) const {
    return spelling->code[std::size_t(language)];
}

bool Leaf::operator==(const Leaf& other) const {
    const bool alike = from == other.from && value == other.value && whole == other.whole &&
                       line == other.line && tensor == other.tensor && index == other.index;
    const bool both_spelled = spelling && other.spelling;
    return alike && (both_spelled ? *spelling == *other.spelling : spelling == other.spelling);
}

Binding Expr::binding(Script notation) const {
    const bool has_letter =
        op == Operator::leaf && is_formula(notation) && leaf.spelling && !leaf.spelling->formula.is_empty();
    return has_letter ? leaf.spelling->formula.binding(notation) : row_of(op).binding(notation);
}

double Expr::value() const {
    return evaluate(*this, [](const Leaf& leaf) { return leaf.value; });
}

std::vector<std::size_t> Expr::nodes() const {
    std::vector<std::size_t> nodes;
    if (leaf.spelling && leaf.spelling->node) {
        nodes.push_back(*leaf.spelling->node);
    }
    for (const Expr& part : parts) {
        std::ranges::copy(part.nodes(), std::back_inserter(nodes));
    }
    return nodes;
}

Number literal(double value) {
    return value < 0 ? -constant(-value) : constant(value);
}

Number named(const Leaf& number, Spelling spelling) {
    Expr result{Operator::leaf, number};
    result.leaf.spelling = std::make_shared<const Spelling>(std::move(spelling));
    return result;
}

Number named(double value, const std::string& name, Expr formula, std::optional<std::size_t> node) {
    return named({Leaf::From::number, value}, {{name, name, name}, std::move(formula), node});
}

Number truth(bool value) {
    const std::string python = value ? "True" : "False";
    const std::string cpp = value ? "true" : "false";
    return named({Leaf::From::number, value ? 1.0 : 0.0}, {{python, python, cpp}, words(cpp)});
}

Number minus_infinity() {
    return -named({Leaf::From::number, std::numeric_limits<double>::infinity()},
                  {{"torch.inf", "np.inf", "INFINITY"}});
}

Expr letter(std::string_view name) {
    return spelled(Leaf::From::letter, name);
}

Expr symbol(std::string_view text) {
    const std::size_t bar = text.find('_');
    return bar == std::string_view::npos
               ? letter(text)
               : subscript(letter(text.substr(0, bar)), letter(text.substr(bar + 1)));
}

Expr words(std::string_view text) {
    return spelled(Leaf::From::words, text);
}

Expr sum_of(std::vector<Expr> terms) {
    if (terms.size() == 1) {
        return std::move(terms[0]);
    }
    if (contains(terms, Operator::sum, &Expr::op)) {
        std::vector<Expr> all;
        for (Expr& term : terms) {
            if (term.op == Operator::sum) {
                std::ranges::move(term.parts, std::back_inserter(all));
            } else {
                all.push_back(std::move(term));
            }
        }
        terms = std::move(all);
    }
    return {Operator::sum, {}, std::move(terms)};
}

Expr float_root(Expr x) {
    return combined(Operator::float_root, std::move(x));
}

Expr as_atom(const Expr& x) {
    return x.binding(Script::text) == Binding::atom ? x : tuple({x});
}

Expr applied(Expr function, std::vector<Expr> to) {
    to.insert(to.begin(), std::move(function));
    return {Operator::applied, {}, std::move(to)};
}

Expr item(Expr x, std::vector<Expr> index) {
    index.insert(index.begin(), std::move(x));
    return {Operator::item, {}, std::move(index)};
}

Expr cases(Expr value, Expr condition, Expr otherwise) {
    return combined(Operator::cases, std::move(value), std::move(condition), std::move(otherwise));
}

void for_each_number(const Expr& arithmetic, const std::function<void(const Leaf&)>& visit) {
    if (arithmetic.is_one_number()) {
        visit(arithmetic.leaf);
    }
    for (const Expr& part : arithmetic.parts) {
        for_each_number(part, visit);
    }
}

std::size_t count_numbers(const Expr& arithmetic, std::size_t most) {
    std::size_t count = arithmetic.is_one_number() ? 1 : 0;
    for (const Expr& part : arithmetic.parts) {
        if (count >= most) {
            return most;
        }
        count += count_numbers(part, most - count);
    }
    return count;
}

Expr replaced(const Expr& arithmetic, const std::function<Expr(const Leaf&)>& by) {
    if (arithmetic.op == Operator::leaf) {
        return arithmetic.is_one_number() ? by(arithmetic.leaf) : arithmetic;
    }
    std::vector<Expr> parts;
    parts.reserve(arithmetic.parts.size());
    for (const Expr& part : arithmetic.parts) {
        parts.push_back(replaced(part, by));
    }
    return arithmetic.op == Operator::sum ? sum_of(std::move(parts))
                                          : Expr{arithmetic.op, {}, std::move(parts)};
}

double evaluate(const Expr& arithmetic, const std::function<double(const Leaf&)>& value_of) {
    if (arithmetic.op == Operator::leaf) {
        return in_float32_range(value_of(arithmetic.leaf));
    }
    const OperatorRow& row = row_of(arithmetic.op);
    double value = evaluate(arithmetic.parts[0], value_of);
    value = row.of_one == nullptr ? value : row.of_one(value);
    for (std::size_t i = 1; i < arithmetic.parts.size(); ++i) {
        value = row.of_two(value, evaluate(arithmetic.parts[i], value_of));
    }
    return in_float32_range(value);
}

}  // namespace attn
