// The arithmetic of explanations as trees: values and text. tests/cli/explanations.py evaluates the text.
#include "notebook/expression.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

using namespace attn;

namespace {

std::string digits(const Leaf& leaf) {
    return fmt::format("{}", leaf.value);
}

const Expr two = number(2);
const Expr three = number(3);
const Expr minus_four = number(-4);

}  // namespace

TEST_CASE("arithmetic has the range of float32, and its infinities and NaN") {
    constexpr double inf = std::numeric_limits<double>::infinity();
    const Expr large = number(1e30);
    const Expr nan = number(std::nan(""));
    const std::pair<Expr, double> rows[] = {
        {two - (three - minus_four), -5},
        {ln(two), std::log(2.0)},
        {sum_of({two, minus_four, three, two}), 3},
        {maximum_of({two, minus_four, three, two}), 3},
        {combined(Operator::at_most, two, two), 1},
        {combined(Operator::at_most, three, two), 0},
        {combined(Operator::at_most, number(-inf), nan), 0},
        {combined(Operator::equal, two, three), 0},
        {combined(Operator::equal, nan, nan), 0},
        {combined(Operator::not_equal, two, three), 1},
        {large * large, inf},
        {tight(large, minus_four * large), -inf},
        {two / (large * large), 0},
        {exp(number(89)), inf},
        {number(3.4028234663852886e38), 3.4028234663852886e38},
    };
    for (const auto& [arithmetic, value] : rows) {
        CHECK(arithmetic.value() == value);
    }
    for (const Expr& arithmetic :
         {large * large / (large * large), maximum_of({two, nan, three}), maximum_of({nan, three})}) {
        CHECK(std::isnan(arithmetic.value()));
    }
}

TEST_CASE("arithmetic is written with brackets where it needs them and nowhere else") {
    const std::pair<Expr, std::string_view> rows[] = {
        {two + three + minus_four, "2 + 3 + (-4)"},
        {two + (three - two), "2 + 3 - 2"},
        {two - (three - two), "2 - (3 - 2)"},
        {(two + three) * two, "(2 + 3) * 2"},
        {two * three / two, "2 * 3 / 2"},
        {two * (three / two), "2 * (3 / 2)"},
        {two / tight(three, two), "2 / (3*2)"},
        {two * tight(three, two) - two, "2 * 3*2 - 2"},
        {tight(two, three * two), "2*(3 * 2)"},
        {tight(two + two, three), "(2 + 2)*3"},
        {exp(two - (three - two)), "exp(2 - (3 - 2))"},
        {combined(Operator::at_most, abs(two), three * two), "(abs(2) <= 3 * 2)"},
        {combined(Operator::not_equal, two, three) * two, "(2 != 3) * 2"},
        // A negative number has brackets unless it comes first.
        {tight(minus_four, minus_four) + tight(minus_four, two), "-4*(-4) + (-4)*2"},
        {two * (minus_four + two), "2 * (-4 + 2)"},
        {maximum_of({minus_four, minus_four}), "max(-4, -4)"},
        {combined(Operator::equal, minus_four, minus_four), "(-4 == -4)"},
        {two * constant(-2), "2 * (-2)"},
        {tight(tight(constant(2), constant(std::numbers::pi)), two), "2*pi*2"},
    };
    for (const auto& [arithmetic, text] : rows) {
        CHECK(written(arithmetic, digits) == text);
    }
}

TEST_CASE("a line may end before a term that stands in no brackets, and after any comma") {
    const auto broken = [](const Expr& arithmetic) {
        std::string text;
        for (const TextPiece& piece : in_pieces(arithmetic, digits)) {
            text += (piece.may_break ? "|" : "") + piece.text;
        }
        return text;
    };
    CHECK(broken(two + two * (two + three) - two + three) == "2| + 2 * (2 + 3) - 2| + 3");
    CHECK(broken(maximum_of({two, three, two})) == "max(2,| 3,| 2)");
}

TEST_CASE(
    "numbers are visited in the order they are written, and can be replaced; constants are not numbers") {
    const Expr arithmetic = two / exp(three - constant(1)) + cell_of(5, {1, 2});
    std::vector<double> values;
    for_each_number(arithmetic, [&](const Leaf& leaf) { values.push_back(leaf.value); });
    CHECK(values == std::vector<double>{2, 3, 0});
    CHECK(count_numbers(arithmetic) == 3);
    CHECK(number(1).is_one_number());
    CHECK(!constant(1).is_one_number());
    const Expr put_in = replaced(arithmetic, [](const Leaf& leaf) {
        return leaf.from == Leaf::From::cell ? number(7) + number(8) : number(10 * leaf.value);
    });
    CHECK(written(put_in, digits) == "20 / exp(30 - 1) + 7 + 8");
    CHECK(put_in.parts.size() == 3);
}
