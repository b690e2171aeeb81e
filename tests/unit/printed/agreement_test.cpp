// The tolerance on both of its sides, what counts as an agreeing digit, and the line a user reads.
#include "printed/agreement.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "printed/comparison.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "walked.hpp"

using attn::Agreement;
using attn::compare;
using attn::Index;
using attn::Reference;
using attn::Shape;
using attn::Tensor;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

Reference table(const Shape& shape, std::vector<std::string> numbers) {
    Reference reference;
    reference.document = "000";
    reference.stage = "causal";
    reference.step = "attn_weights";
    reference.shape = shape;
    reference.numbers = std::move(numbers);
    return reference;
}

Agreement compare_one(const std::string& printed, auto x) {
    return compare(table(Shape{}, {printed}), full(Shape{}, static_cast<float>(x)));
}

bool agree(const std::string& printed, auto x) {
    return compare_one(printed, x).agrees();
}

std::string line(const Reference& reference, const Agreement& agreement) {
    static const attn::Words phrases("en", "program");
    return attn::agreement_text(reference, agreement, phrases);
}

std::string line_of(const std::string& printed, auto x) {
    return line(table(Shape{}, {printed}), compare_one(printed, x));
}

}  // namespace

TEST_CASE("four decimals agree up to half a unit of the last one and a millionth") {
    CHECK(agree("0.1921", 0.1921));
    CHECK(agree("0.1921", 0.1921 + 0.0000509));
    CHECK(agree("0.1921", 0.1921 - 0.0000509));
    CHECK_FALSE(agree("0.1921", 0.1921 + 0.0000511));
    CHECK_FALSE(agree("0.1921", 0.1921 - 0.0000511));
    CHECK(agree("-0.0739", -0.0739 - 0.0000509));
    CHECK_FALSE(agree("-0.0739", -0.0739 - 0.0000511));
    CHECK_FALSE(agree("-0.0739", 0.0739));
}

TEST_CASE("the number of printed decimals sets the bound") {
    CHECK(agree("0.2", 0.2499));
    CHECK_FALSE(agree("0.20", 0.2499));
    CHECK(agree("0.20", 0.205));
    CHECK_FALSE(agree("0.20", 0.20501));
    CHECK(agree("0.12345678", 0.12345678 + 0.0000009));
    CHECK_FALSE(agree("0.12345678", 0.12345678 + 0.0000011));
}

TEST_CASE("whole numbers agree within one half, with the point or without") {
    for (const std::string printed : {"2.", "2"}) {
        CHECK(agree(printed, 2.0));
        CHECK(agree(printed, 1.5));
        CHECK_FALSE(agree(printed, 1.49999));
        CHECK_FALSE(agree(printed, 0.0));
    }
}

TEST_CASE("scientific notation is held to its mantissa's decimals") {
    CHECK(agree("1.2e-03", 0.0012));
    CHECK(agree("1.2e-03", 0.00124999));
    CHECK_FALSE(agree("1.2e-03", 0.0012501));
    CHECK(agree("-4.5000e-08", -4.5e-8));
    CHECK_FALSE(agree("-4.5000e-08", 0.0));
    CHECK(agree("1.2346e+08", 123455008.0));
    CHECK_FALSE(agree("1.2346e+08", 123454800.0));
    CHECK(agree("1e+06", 1500001.0));  // just the bound, (½ + 1e-6)·10⁶, which is exact
    CHECK_FALSE(agree("1e+06", 1500001.125));
}

TEST_CASE("inf and nan agree only with themselves, sign included") {
    CHECK(agree("inf", inf));
    CHECK(agree("-inf", -inf));
    CHECK(agree("nan", not_a_number));
    CHECK_FALSE(agree("inf", -inf));
    CHECK_FALSE(agree("-inf", inf));
    CHECK_FALSE(agree("-inf", std::numeric_limits<float>::lowest()));
    CHECK_FALSE(agree("nan", inf));
    CHECK_FALSE(agree("inf", not_a_number));
    CHECK_FALSE(agree("0.0000", not_a_number));
    CHECK_FALSE(agree("0.0000", -inf));
}

TEST_CASE("every decimal digit is counted, and those of inf are none") {
    const Agreement masked = compare(table(Shape{2, 2}, {"0.2899", "-inf", "0.4656", "-12.5"}),
                                     Tensor(Shape{2, 2}, {0.2899F, -inf, 0.4656F, -12.5F}));
    CHECK(masked.agrees());
    CHECK(masked.numbers == 4);
    CHECK(masked.numbers_agreeing == 4);
    CHECK(masked.digits == 13);
    CHECK(masked.digits_agreeing == 13);
    CHECK_FALSE(masked.first_mismatch);
}

TEST_CASE("a number that agrees by tolerance has all its digits agree, though it rounds to others") {
    const Agreement agreement = compare_one("0.1921", 0.1921505);
    CHECK(agreement.numbers_agreeing == 1);
    CHECK(agreement.digits_agreeing == 5);
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
    const Reference reference = table(Shape{4}, {"0.1000", "0.2000", "inf", "0.4000"});
    const Agreement agreement = compare(reference, Tensor(Shape{4}, {0.10001F, 0.25F, -inf, not_a_number}));
    CHECK(agreement.largest_difference == doctest::Approx(0.05).epsilon(1e-6));
    CHECK(agreement.numbers_agreeing == 1);
    CHECK(compare_one("0.2000", 0.15).largest_difference == doctest::Approx(0.05).epsilon(1e-6));
}

TEST_CASE("with all stages, a table that leaves parameters out is of the stage's own, whatever the run's") {
    const attn::Stage& causal = *attn::find_stage("causal");
    Reference reference = table(Shape{6, causal.defaults.d_out}, {});
    reference.step = "queries";
    attn::Parameters others = causal.defaults;
    others.d_out = 5;
    const attn::StageTrace shown = attn::walk_causal(attn::journey(), others);
    const std::vector<attn::Comparison> each = compare_each(shown, attn::journey(), {&reference, 1});
    REQUIRE(each.size() == 1);
    CHECK(each[0].agreement.agrees());
}

TEST_CASE("the first mismatch is the first in reading order") {
    const Agreement agreement = compare(table(Shape{2, 1, 2}, {"0.1", "0.2", "0.3", "0.4"}),
                                        Tensor(Shape{2, 1, 2}, {0.1F, 0.2F, 0.9F, 0.8F}));
    REQUIRE(agreement.first_mismatch);
    CHECK(agreement.first_mismatch->index == Index{1, 0, 0});
    CHECK(agreement.first_mismatch->printed == "0.3");
    CHECK(agreement.first_mismatch->computed == 0.9F);
    CHECK_FALSE(agreement.agrees());
}

TEST_CASE("tensors of different shapes disagree as a whole, though their numbers be the same") {
    const Reference reference = table(Shape{2, 1}, {"0.1000", "0.2000"});
    const Agreement agreement = compare(reference, Tensor(Shape{1, 2}, {0.1F, 0.2F}));
    CHECK_FALSE(agreement.agrees());
    CHECK_FALSE(agreement.same_shape);
    CHECK(agreement.numbers == 2);
    CHECK(agreement.numbers_agreeing == 0);
    CHECK(agreement.digits == 10);
    CHECK(agreement.digits_agreeing == 0);
    CHECK(line(reference, agreement) == "shape differs: printed (2, 1), computed (1, 2)");
}

TEST_CASE("a table of which only the shape is printed is held to its shape") {
    const Reference reference = table(Shape{2, 6, 2}, {});
    const Agreement same = compare(reference, Tensor(Shape{2, 6, 2}));
    CHECK(same.agrees());
    CHECK(line(reference, same) == "shape (2, 6, 2) agrees");
    const Agreement other = compare(reference, Tensor(Shape{2, 12, 2}));
    CHECK_FALSE(other.agrees());
    CHECK(line(reference, other) == "shape differs: printed (2, 6, 2), computed (2, 12, 2)");
}

TEST_CASE("the line tells digits, numbers and the largest difference") {
    const Reference reference = table(Shape{1, 2}, {"0.1921", "0.2041"});
    CHECK(line(reference, compare(reference, Tensor(Shape{1, 2}, {0.19212F, 0.204149F}))) ==
          "10 of 10 digits agree (2 numbers), largest difference 4.9e-05");
    CHECK(line_of("2.", 2.0) == "1 of 1 digits agree (1 number), largest difference 0");
}

TEST_CASE("the line of a table that differs names the first cell, with the computed number printed alike") {
    const Reference reference = table(Shape{2, 2}, {"0.1921", "0.1646", "0.2041", "0.1659"});
    CHECK(line(reference, compare(reference, Tensor(Shape{2, 2}, {0.1921F, 0.1646F, 0.1749F, 9}))) ==
          "11 of 20 digits agree (2 of 4 numbers), largest difference 8.8e+00, "
          "first at [1][0]: printed 0.2041, computed 0.1749");
    CHECK(line_of("0.9544", 0.5).ends_with(", printed 0.9544, computed 0.5000"));
    CHECK(line_of("2.", 0.0).ends_with(", printed 2., computed 0."));
    CHECK(line_of("1", 0.0).ends_with(", printed 1, computed 0"));
    CHECK(line_of("1.2e-03", 0.5).ends_with(", printed 1.2e-03, computed 5.0e-01"));
    CHECK(line_of("-inf", 0.5).ends_with(", printed -inf, computed 0.5"));
    CHECK(line_of("0.5000", -inf).ends_with(", printed 0.5000, computed -inf"));
}

TEST_CASE("text that is no printed number is refused and named") {
    CHECK_THROWS_WITH_AS(
        compare_one("0 .0000", 0),
        "[compare] 000 attn_weights: Expected a number such as 0.1921, 2., 1.2e-03 or -inf but "
        "received \"0 .0000\".",
        attn::Error);
    for (const char* const text :
         {"",      "-",        ".5",   "+1.0", "1,5",    "0x10", "1.0.0",
          "--1",   "infinity", "+inf", "-nan", "nan(1)", "1e",   "1e+",
          "1e+-3", "1.0e5.0",  " 1.0", "1.0 ", "1e400",  "0e99", "1.0e-4000000000"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(compare_one(text, 0), attn::Error);
    }
}

TEST_CASE("malformed text is refused even where the shapes differ") {
    CHECK_THROWS_AS(compare(table(Shape{1}, {"?"}), Tensor(Shape{2})), attn::Error);
}

TEST_CASE("a table must hold as many numbers as its shape") {
    CHECK_THROWS_WITH_AS(compare(table(Shape{2, 2}, {"1.", "2.", "3."}), Tensor(Shape{2, 2})),
                         "[compare] 000 attn_weights: Expected 4 numbers for shape (2, 2) but received 3.",
                         attn::Error);
}
