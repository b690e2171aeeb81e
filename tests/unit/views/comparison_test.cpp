// Comparisons with printed tables: the counting of agreeing digits, and the printed line.
#include "views/comparison/comparison.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "special.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "views/text/comparison_text.hpp"
#include "walked.hpp"

using attn::compare;
using attn::Comparison;
using attn::Index;
using attn::Reference;
using attn::Shape;
using attn::Tensor;

namespace {

Reference table(const Shape& shape, const std::string& numbers) {
    Reference reference;
    reference.document = "000";
    reference.stage = "causal";
    reference.step = "attn_weights";
    reference.text = numbers;
    reference.table = attn::read_table(reference.text, shape);
    return reference;
}

// Compares one number with a table that outlives the comparison.
Comparison compare_one(const std::string& printed, auto x) {
    static std::deque<Reference> tables;
    return compare(tables.emplace_back(table(Shape{}, printed)), full(Shape{}, static_cast<float>(x)));
}

std::string line(const Comparison& comparison) {
    static const attn::Words phrases("en", "program");
    return attn::agreement_text(comparison, phrases);
}

std::string line_of(const std::string& printed, auto x) {
    return line(compare_one(printed, x));
}

}  // namespace

TEST_CASE("every decimal digit is counted, and those of inf are none") {
    const Reference reference = table(Shape{2, 2}, "0.2899 -inf\n0.4656 -12.5");
    const Comparison masked = compare(reference, Tensor(Shape{2, 2}, {0.2899F, -inf, 0.4656F, -12.5F}));
    CHECK(masked.agrees());
    CHECK(masked.agreement.numbers == 4);
    CHECK(masked.agreement.numbers_agreeing() == 4);
    CHECK(masked.digits == 13);
    CHECK(masked.digits_agreeing == 13);
    CHECK_FALSE(masked.first_mismatch);
}

TEST_CASE("a number that agrees by tolerance has all its digits agree, though it rounds to others") {
    const Comparison comparison = compare_one("0.1921", 0.1921505);
    CHECK(comparison.agreement.numbers_agreeing() == 1);
    CHECK(comparison.digits_agreeing == 5);
}

TEST_CASE("a number that disagrees has the digits before its first wrong one agree") {
    CHECK(compare_one("0.2041", 0.2051).digits_agreeing == 3);
    CHECK(compare_one("0.2041", 0.1741).digits_agreeing == 1);
    CHECK(compare_one("0.2041", 1.2041).digits_agreeing == 0);
    CHECK(compare_one("0.2041", 10.2041).digits_agreeing == 0);
    CHECK(compare_one("1.2041", 10.2041).digits_agreeing == 0);
    CHECK(compare_one("10.2041", 1.2041).digits_agreeing == 0);
    CHECK(compare_one("0.2041", -0.2041).digits_agreeing == 0);
    CHECK(compare_one("0.2041", inf).digits_agreeing == 0);
    CHECK(compare_one("-0.2041", -0.2048).digits_agreeing == 4);
    CHECK(compare_one("1.2345e-03", 1.2395e-3).digits_agreeing == 3);
    CHECK(compare_one("1.2345e-03", 1.2345e-4).digits_agreeing == 0);
    CHECK(compare_one("2.", 0.0).digits_agreeing == 0);
}

TEST_CASE("the largest difference is taken over finite numbers, agreeing or not") {
    const Reference reference = table(Shape{4}, "0.1000 0.2000 inf 0.4000");
    const attn::Agreement agreement =
        compare(reference, Tensor(Shape{4}, {0.10001F, 0.25F, -inf, not_a_number})).agreement;
    CHECK(agreement.largest_difference == doctest::Approx(0.05).epsilon(1e-6));
    CHECK(agreement.numbers_agreeing() == 1);
    CHECK(compare_one("0.2000", 0.15).agreement.largest_difference == doctest::Approx(0.05).epsilon(1e-6));
}

TEST_CASE("with all stages, a table that leaves parameters out is of the stage's own, whatever the run's") {
    const attn::Stage& causal = *attn::find_stage("causal");
    Reference reference = table(Shape{6, causal.defaults.d_out}, "");
    reference.step = "queries";
    attn::Parameters others = causal.defaults;
    others.d_out = 5;
    const attn::StageTrace shown = attn::walk_causal(attn::journey(), others);
    const std::vector<attn::Comparison> each = compare_each(shown, attn::journey(), {&reference, 1});
    REQUIRE(each.size() == 1);
    CHECK(each[0].agrees());
}

TEST_CASE("the first mismatch is the first in reading order") {
    const Reference reference = table(Shape{2, 1, 2}, "0.1 0.2 0.3 0.4");
    const Comparison comparison = compare(reference, Tensor(Shape{2, 1, 2}, {0.1F, 0.2F, 0.9F, 0.8F}));
    REQUIRE(comparison.first_mismatch);
    CHECK(comparison.first_mismatch->index == Index{1, 0, 0});
    CHECK(reference.printed(comparison.first_mismatch->number) == "0.3");
    CHECK(comparison.first_mismatch->computed == 0.9F);
    CHECK_FALSE(comparison.agrees());
}

TEST_CASE("tensors of different shapes disagree as a whole, though their numbers be the same") {
    const Reference reference = table(Shape{2, 1}, "0.1000 0.2000");
    const Comparison comparison = compare(reference, Tensor(Shape{1, 2}, {0.1F, 0.2F}));
    CHECK_FALSE(comparison.agrees());
    CHECK_FALSE(comparison.same_shape());
    CHECK(comparison.digits == 10);
    CHECK(comparison.digits_agreeing == 0);
    CHECK(line(comparison) == "shape differs: printed (2, 1), computed (1, 2)");
}

TEST_CASE("a table of which only the shape is printed is held to its shape") {
    const Reference reference = table(Shape{2, 6, 2}, "");
    const Comparison same = compare(reference, Tensor(Shape{2, 6, 2}));
    CHECK(same.agrees());
    CHECK(line(same) == "shape (2, 6, 2) agrees");
    const Comparison other = compare(reference, Tensor(Shape{2, 12, 2}));
    CHECK_FALSE(other.agrees());
    CHECK(line(other) == "shape differs: printed (2, 6, 2), computed (2, 12, 2)");
}

TEST_CASE("the line tells digits, numbers and the largest difference") {
    const Reference reference = table(Shape{1, 2}, "0.1921 0.2041");
    CHECK(line(compare(reference, Tensor(Shape{1, 2}, {0.19212F, 0.204149F}))) ==
          "10 of 10 digits agree (2 numbers), largest difference 4.9e-05");
    CHECK(line_of("2.", 2.0) == "1 of 1 digits agree (1 number), largest difference 0");
}

TEST_CASE("the line of a table that differs names the first cell, with the computed number printed alike") {
    const Reference reference = table(Shape{2, 2}, "0.1921 0.1646 0.2041 0.1659");
    CHECK(line(compare(reference, Tensor(Shape{2, 2}, {0.1921F, 0.1646F, 0.1749F, 9}))) ==
          "11 of 20 digits agree (2 of 4 numbers), largest difference 8.8e+00, "
          "first at [1][0]: printed 0.2041, computed 0.1749");
    CHECK(line_of("0.9544", 0.5).ends_with(", printed 0.9544, computed 0.5000"));
    CHECK(line_of("2.", 0.0).ends_with(", printed 2., computed 0."));
    CHECK(line_of("1", 0.0).ends_with(", printed 1, computed 0"));
    CHECK(line_of("1.2e-03", 0.5).ends_with(", printed 1.2e-03, computed 5.0e-01"));
    CHECK(line_of("-inf", 0.5).ends_with(", printed -inf, computed 0.5"));
    CHECK(line_of("0.5000", -inf).ends_with(", printed 0.5000, computed -inf"));
}

TEST_CASE("a table holds numbers, as many as its shape, and nothing else") {
    CHECK_THROWS_WITH_AS(attn::read_table("0 .0000", {}),
                         "[read_table] Expected 1 numbers for shape () but received 2.", attn::Error);
    CHECK_THROWS_WITH_AS(attn::read_table("1. 2. 3.", Shape{2, 2}),
                         "[read_table] Expected 4 numbers for shape (2, 2) but received 3.", attn::Error);
    CHECK_THROWS_WITH_AS(attn::read_table("1. ?", Shape{2}),
                         "[read_table] Expected 2 numbers for shape (2,) but received \"1. ?\".",
                         attn::Error);
}
