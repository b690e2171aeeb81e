#include "notebook/arithmetic.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <utility>

#include "tensor/digits.hpp"

namespace attn {

namespace {

double in_float32_range(double value) {
    constexpr auto most = static_cast<double>(std::numeric_limits<float>::max());
    return std::abs(value) > most ? std::copysign(std::numeric_limits<double>::infinity(), value) : value;
}

std::string constant_text(double value) {
    if (value == std::numbers::pi) {
        return "pi";
    }
    return shortest_digits(value);
}

class Writer {
public:
    explicit Writer(const WriteLeaf& write) : write_(write) {}

    // `opens`: nothing stands in front of it but an opening bracket, a comma or a sign of comparison.
    void write(const Arithmetic& x, bool opens) {
        const std::string_view sign = row_of(x.kind).code;
        switch (x.kind) {
            case Arithmetic::Kind::leaf:
                write_leaf(x.leaf, opens);
                break;
            case Arithmetic::Kind::sum:  // terms group either way
                for (std::size_t i = 0; i < x.parts.size(); ++i) {
                    if (i > 0) {
                        break_term();
                        put(sign);
                    }
                    write_operand(x.parts[i], Binding::sum, true, opens && i == 0);
                }
                break;
            case Arithmetic::Kind::quotient:
                write_operand(x.parts[0], Binding::product, true, opens);
                put(sign);
                write_operand(x.parts[1], Binding::tight, false, false);
                break;
            case Arithmetic::Kind::difference:
            case Arithmetic::Kind::product:
            case Arithmetic::Kind::tight_product:
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
        put(text.starts_with("-") && !opens ? "(" + text + ")" : text);
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
        put(row_of(x.kind).code);
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
        open("(");
        write(x.parts[0], true);
        put(row_of(x.kind).code);
        write(x.parts[1], true);
        close(")");
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

}  // namespace

Binding Arithmetic::binding() const {
    return is_comparison(kind) ? Binding::atom : row_of(kind).binding;  // it stands in brackets of its own
}

Arithmetic constant(double value) {
    return {Arithmetic::Kind::leaf, {Leaf::From::constant, value}};
}

Arithmetic number(double value, const Number* reads) {
    return {Arithmetic::Kind::leaf, {Leaf::From::number, value, 0, {}, reads}};
}

Arithmetic cell_of(std::size_t tensor, const Index& index) {
    return {Arithmetic::Kind::leaf, {Leaf::From::cell, 0.0, tensor, index}};
}

Arithmetic earlier_line(std::size_t which) {
    return {Arithmetic::Kind::leaf, {Leaf::From::line, 0.0, which}};
}

Arithmetic operator+(Arithmetic a, Arithmetic b) {
    std::vector<Arithmetic> terms;
    terms.push_back(std::move(a));
    terms.push_back(std::move(b));
    return sum_of(std::move(terms));
}

Arithmetic sum_of(std::vector<Arithmetic> terms) {
    if (terms.size() == 1) {
        return std::move(terms[0]);
    }
    if (std::ranges::find(terms, Arithmetic::Kind::sum, &Arithmetic::kind) !=
        terms.end()) {  // a sum of sums is one sum
        std::vector<Arithmetic> all;
        for (Arithmetic& term : terms) {
            if (term.kind == Arithmetic::Kind::sum) {
                std::ranges::move(term.parts, std::back_inserter(all));
            } else {
                all.push_back(std::move(term));
            }
        }
        terms = std::move(all);
    }
    return {Arithmetic::Kind::sum, {}, std::move(terms)};
}

Arithmetic maximum_of(std::vector<Arithmetic> numbers) {
    return {Arithmetic::Kind::maximum, {}, std::move(numbers)};
}

void for_each_number(const Arithmetic& arithmetic, const std::function<void(const Leaf&)>& tell) {
    if (arithmetic.is_one_number()) {
        tell(arithmetic.leaf);
    }
    for (const Arithmetic& part : arithmetic.parts) {
        for_each_number(part, tell);
    }
}

std::size_t count_numbers(const Arithmetic& arithmetic, std::size_t most) {
    std::size_t count = arithmetic.is_one_number() ? 1 : 0;
    for (const Arithmetic& part : arithmetic.parts) {
        if (count >= most) {
            return most;
        }
        count += count_numbers(part, most - count);
    }
    return count;
}

Arithmetic replaced(const Arithmetic& arithmetic, const std::function<Arithmetic(const Leaf&)>& by) {
    if (arithmetic.kind == Arithmetic::Kind::leaf) {
        return arithmetic.is_one_number() ? by(arithmetic.leaf) : arithmetic;
    }
    std::vector<Arithmetic> parts;
    parts.reserve(arithmetic.parts.size());
    for (const Arithmetic& part : arithmetic.parts) {
        parts.push_back(replaced(part, by));
    }
    return arithmetic.kind == Arithmetic::Kind::sum ? sum_of(std::move(parts))
                                                    : Arithmetic{arithmetic.kind, {}, std::move(parts)};
}

double evaluate(const Arithmetic& arithmetic, const std::function<double(const Leaf&)>& value_of) {
    if (arithmetic.kind == Arithmetic::Kind::leaf) {
        return in_float32_range(value_of(arithmetic.leaf));
    }
    const OperatorRow& row = row_of(arithmetic.kind);
    double value = evaluate(arithmetic.parts[0], value_of);
    value = row.of_one == nullptr ? value : row.of_one(value);
    for (std::size_t i = 1; i < arithmetic.parts.size(); ++i) {
        value = row.of_two(value, evaluate(arithmetic.parts[i], value_of));
    }
    return in_float32_range(value);
}

double evaluate(const Arithmetic& arithmetic) {
    return evaluate(arithmetic, [](const Leaf& leaf) { return leaf.value; });
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
