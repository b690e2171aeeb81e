// Printed numbers: their grammar, and the tolerance from both sides.
#include "printed/number.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

using attn::PrintedNumber;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

// Reads a text that must be a single number.
std::optional<PrintedNumber> number(std::string_view text) {
    std::size_t at = 0;
    const std::optional<PrintedNumber> number = attn::read_number(text, at);
    CHECK(at == (number ? text.size() : 0));
    return number;
}

struct Row {
    std::string_view printed;
    std::vector<double> agree;
    std::vector<double> differ;
};

// Checks which float32 numbers agree with the printed one.
void check_agreement(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        for (const bool expected : {true, false}) {
            for (const double x : expected ? row.agree : row.differ) {
                CAPTURE(row.printed);
                CAPTURE(x);
                CHECK(agrees(*number(row.printed), static_cast<double>(static_cast<float>(x))) == expected);
            }
        }
    }
}

}  // namespace

TEST_CASE("numbers are what PyTorch, NumPy, Python, JSON and people write") {
    using Notation = PrintedNumber::Notation;
    struct Written {
        std::string_view text;
        double value;
        int decimals;
        Notation notation;
    };
    for (const Written& one : {Written{"0.1921", 0.1921, 4, Notation::fixed},
                               {"2.", 2.0, 0, Notation::fixed},
                               {"2", 2.0, 0, Notation::whole},
                               {".5", 0.5, 1, Notation::fixed},
                               {"+1.50", 1.5, 2, Notation::fixed},
                               {"\u22120.25", -0.25, 2, Notation::fixed},
                               {"1.2340e-04", 1.234e-4, 4, Notation::scientific},
                               {"-2E+1", -20.0, 0, Notation::scientific},
                               {"1e-400", 0.0, 0, Notation::scientific},
                               {"True", 1.0, PrintedNumber::exact, Notation::truth},
                               {"false", 0.0, PrintedNumber::exact, Notation::truth},
                               {"-inf", -infinite, PrintedNumber::exact, Notation::word},
                               {"Infinity", infinite, PrintedNumber::exact, Notation::word},
                               {"\u221e", infinite, PrintedNumber::exact, Notation::word},
                               {"np.float32(0.25)", 0.25, 2, Notation::fixed}}) {
        CAPTURE(one.text);
        const std::optional<PrintedNumber> read = number(one.text);
        REQUIRE(read);
        CHECK(read->value == one.value);
        CHECK(read->decimals == one.decimals);
        CHECK(read->notation == one.notation);
    }
    CHECK(std::isnan(number("NaN")->value));
    std::size_t at = 1;
    CHECK(attn::read_number("[0.5, 0.25]", at)->offset == 1);
    CHECK(at == 4);
}

TEST_CASE("what is no number is not read as the part of it that is one") {
    for (const std::string_view text :
         {"",     "-",      ".",     "1.0.0",   "--1",   "1e",     "1e+",  "1e+-3",  "1.0e5.0",
          "0x10", "1e400",  "0.2x",  "1-2",     "\"0.5", "'0.5\"", "inf1", "tensor", "np.float32(0.5",
          "+-1",  "\u2212", "0.5_1", "infinity"}) {
        CAPTURE(text);
        CHECK_FALSE(number(text));
    }
}

TEST_CASE("four decimals agree up to half a unit of the last one and a millionth") {
    check_agreement({
        {"0.1921",
         {0.1921, 0.1921 + 0.0000509, 0.1921 - 0.0000509},
         {0.1921 + 0.0000511, 0.1921 - 0.0000511}},
        {"-0.0739", {-0.0739 - 0.0000509}, {-0.0739 - 0.0000511, 0.0739}},
    });
}

TEST_CASE("the number of printed decimals sets the bound") {
    check_agreement({
        {"0.2", {0.2499}, {}},
        {"0.20", {0.205}, {0.2499, 0.20501}},
        {"0.12345678", {0.12345678 + 0.0000009}, {0.12345678 + 0.0000011}},
    });
}

TEST_CASE("the bound does not grow with the number, until float32 numbers themselves are farther apart") {
    check_agreement({
        {"12.5000", {12.5 + 0.0000505}, {12.5 + 0.0000525}},
        {"-12.5000", {-12.5 - 0.0000505}, {-12.5 - 0.0000525}},
        // float32 numbers are 2⁻¹⁴ apart here
        {"1000.1234", {1000.1234, 1000.1235}, {1000.1236, 1000.1243}},
        {"16777216.", {16777218.0}, {16777220.0}},
        {"0.0000", {0.0000509}, {0.0000511}},
    });
}

TEST_CASE("what is known exactly agrees within a millionth") {
    CHECK(attn::agrees(attn::exact_number(2.0), 2.0000005));
    CHECK_FALSE(attn::agrees(attn::exact_number(2.0), 2.000003));
    CHECK(attn::last_unit(attn::exact_number(0.5)) == 0.0);
}

TEST_CASE("more units than a half may be allowed") {
    std::size_t at = 0;
    const PrintedNumber printed = *attn::read_number("0.1921", at);
    CHECK(attn::last_unit(printed) == doctest::Approx(1e-4));
    CHECK(attn::agrees(printed, 0.1921 + 0.00015, 1.5));
    CHECK_FALSE(attn::agrees(printed, 0.1921 + 0.000152, 1.5));
}

TEST_CASE("scientific notation is held to its mantissa's decimals") {
    check_agreement({
        {"1.2e-03", {0.0012, 0.00124999}, {0.0012501}},
        {"-4.5000e-08", {-4.5e-8}, {0.0}},
        {"1.2346e+08", {123455008.0}, {123454800.0}},
        // exactly the bound, (½ + 1e-6)·10⁶
        {"1e+06", {1500001.0}, {1500001.125}},
    });
}

TEST_CASE("inf and nan agree only with themselves, sign included") {
    check_agreement({
        {"inf", {infinite}, {-infinite, undefined}},
        {"-inf", {-infinite}, {infinite, -3.4028234e38}},
        {"nan", {undefined}, {infinite}},
        {"0.0000", {}, {undefined, -infinite}},
    });
}
