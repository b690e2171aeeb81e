// The arithmetic of explanations as trees: values and text.
#include "notebook/expression.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

using attn::constant;
using attn::Expr;
using attn::Leaf;
using attn::number;
using attn::Operator;

namespace {

double evaluate(const Expr& arithmetic) {
    return arithmetic.value();
}

constexpr double infinity = std::numeric_limits<double>::infinity();

std::string written(const Expr& arithmetic) {
    return attn::written(arithmetic, [](const Leaf& leaf) {
        return leaf.value < 0 ? fmt::format("-{}", -leaf.value) : fmt::format("{}", leaf.value);
    });
}

const Expr two = number(2);
const Expr three = number(3);
const Expr minus_four = number(-4);

}  // namespace

TEST_CASE("arithmetic comes to what its operations give in double precision") {
    CHECK(evaluate(two + three * minus_four) == -10);
    CHECK(evaluate((two + three) * minus_four) == -20);
    CHECK(evaluate(two - three - minus_four) == 3);
    CHECK(evaluate(two - (three - minus_four)) == -5);
    CHECK(evaluate(number(8) / two / two) == 2);
    CHECK(evaluate(tight(two, three)) == 6);
    CHECK(evaluate(attn::exp(two)) == std::exp(2.0));
    CHECK(evaluate(attn::ln(two)) == std::log(2.0));
    CHECK(evaluate(attn::sin(two)) == std::sin(2.0));
    CHECK(evaluate(attn::cos(two)) == std::cos(2.0));
    CHECK(evaluate(attn::sqrt(number(9))) == 3);
    CHECK(evaluate(attn::abs(minus_four)) == 4);
    CHECK(evaluate(attn::maximum_of({two, minus_four, three, two})) == 3);
    CHECK(evaluate(attn::sum_of({two, minus_four, three, two})) == 3);
    CHECK(evaluate(attn::sum_of({minus_four})) == -4);
    CHECK(evaluate(attn::combined(Operator::at_most, two, two)) == 1);
    CHECK(evaluate(attn::combined(Operator::at_most, three, two)) == 0);
    CHECK(evaluate(attn::combined(Operator::equal, two, two)) == 1);
    CHECK(evaluate(attn::combined(Operator::equal, two, three)) == 0);
    CHECK(evaluate(attn::combined(Operator::not_equal, two, three)) == 1);
    CHECK(evaluate(attn::combined(Operator::not_equal, two, two)) == 0);
}

TEST_CASE("arithmetic has the range of float32, and its infinities and NaN") {
    const Expr large = number(1e30);
    CHECK(evaluate(large * large) == infinity);
    CHECK(evaluate(tight(large, minus_four * large)) == -infinity);
    CHECK(evaluate(two / (large * large)) == 0);
    CHECK(evaluate(attn::exp(number(89))) == infinity);
    CHECK(evaluate(number(3.4028234663852886e38)) == 3.4028234663852886e38);
    CHECK(std::isnan(evaluate(large * large / (large * large))));
    const Expr nan = number(std::nan(""));
    CHECK(std::isnan(evaluate(attn::maximum_of({two, nan, three}))));
    CHECK(std::isnan(evaluate(attn::maximum_of({nan, three}))));
    CHECK(evaluate(attn::combined(Operator::equal, nan, nan)) == 0);
    CHECK(evaluate(attn::combined(Operator::at_most, number(-infinity), nan)) == 0);
}

TEST_CASE("arithmetic is written with brackets where it needs them and nowhere else") {
    CHECK(written(two + three + minus_four) == "2 + 3 + (-4)");
    CHECK(written(two + (three + two)) == "2 + 3 + 2");
    CHECK(written(two + (three - two)) == "2 + 3 - 2");
    CHECK(written(two - (three - two)) == "2 - (3 - 2)");
    CHECK(written(two - (three + two)) == "2 - (3 + 2)");
    CHECK(written((two + three) * two) == "(2 + 3) * 2");
    CHECK(written(two * three / two) == "2 * 3 / 2");
    CHECK(written(two * (three / two)) == "2 * (3 / 2)");
    CHECK(written(two / (three * two)) == "2 / (3 * 2)");
    CHECK(written(two / tight(three, two)) == "2 / (3*2)");
    CHECK(written(tight(three, two) / two) == "3*2 / 2");
    CHECK(written(two * tight(three, two) - two) == "2 * 3*2 - 2");
    CHECK(written(tight(two, three * two)) == "2*(3 * 2)");
    CHECK(written(tight(two + two, three)) == "(2 + 2)*3");
    CHECK(written(attn::exp(two - (three - two))) == "exp(2 - (3 - 2))");
    CHECK(written(attn::maximum_of({two, three + two})) == "max(2, 3 + 2)");
    CHECK(written(attn::combined(Operator::at_most, attn::abs(two), three * two)) == "(abs(2) <= 3 * 2)");
    CHECK(written(attn::combined(Operator::not_equal, two, three) * two) == "(2 != 3) * 2");
}

TEST_CASE("a negative number has brackets unless it opens what it stands in") {
    CHECK(written(minus_four) == "-4");
    CHECK(written(minus_four + minus_four) == "-4 + (-4)");
    CHECK(written(tight(minus_four, minus_four) + tight(minus_four, two)) == "-4*(-4) + (-4)*2");
    CHECK(written(two * (minus_four + two)) == "2 * (-4 + 2)");
    CHECK(written(attn::maximum_of({minus_four, minus_four})) == "max(-4, -4)");
    CHECK(written(attn::combined(Operator::equal, minus_four, minus_four)) == "(-4 == -4)");
    CHECK(written(attn::sqrt(minus_four - minus_four)) == "sqrt(-4 - (-4))");
    CHECK(written(constant(-2) * two) == "-2 * 2");
    CHECK(written(two * constant(-2)) == "2 * (-2)");
}

TEST_CASE("constants are written as they are, and are no numbers that stand elsewhere") {
    const Expr circle = tight(tight(constant(2), constant(std::numbers::pi)), two);
    CHECK(written(circle) == "2*pi*2");
    CHECK(attn::count_numbers(circle) == 1);
    CHECK(written(two * (constant(1) - constant(0.1))) == "2 * (1 - 0.1)");
    CHECK(!constant(1).is_one_number());
    CHECK(number(1).is_one_number());
    CHECK(!(number(1) + number(1)).is_one_number());
}

TEST_CASE("a line may end before a term that stands in no brackets, and after any comma") {
    const auto cut = [](const Expr& arithmetic) {
        return attn::in_pieces(arithmetic, [](const Leaf& leaf) { return fmt::format("{}", leaf.value); });
    };
    using Pieces = std::vector<std::string>;
    CHECK(cut(two + two * (two + three) + three) == Pieces{"2", " + 2 * (2 + 3)", " + 3"});
    CHECK(cut(two + three - two) == Pieces{"2", " + 3 - 2"});
    CHECK(cut(attn::maximum_of({two, three, two})) == Pieces{"max(2,", " 3,", " 2)"});
    CHECK(cut(two) == Pieces{"2"});
}

TEST_CASE("numbers are told in the order they are written, and other arithmetic can stand in their place") {
    const Expr arithmetic = two / attn::exp(three - constant(1)) + attn::cell_of(5, {1, 2});
    std::vector<double> values;
    attn::for_each_number(arithmetic, [&](const Leaf& leaf) { values.push_back(leaf.value); });
    CHECK(values == std::vector<double>{2, 3, 0});
    const Expr put_in = attn::replaced(arithmetic, [](const Leaf& leaf) {
        return leaf.from == Leaf::From::cell ? number(7) + number(8) : number(10 * leaf.value);
    });
    CHECK(written(put_in) == "20 / exp(30 - 1) + 7 + 8");
    CHECK(put_in.parts.size() == 3);
    CHECK(evaluate(put_in) == doctest::Approx(15 + 20 / std::exp(29)));
}
