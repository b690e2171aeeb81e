// How near a pasted number has to be, on both sides of the bound.
#include "diagnosis/likeness.hpp"

#include <doctest/doctest.h>

#include <limits>

using attn::agrees;
using attn::PastedNumber;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr PastedNumber four_decimals{0.1921, 0.5e-4};
constexpr PastedNumber seven_decimals{0.1920999, 0.5e-7};

}  // namespace

TEST_CASE("a pasted number agrees within half a unit of its last digit and a fiftieth of that") {
    for (const double sign : {1.0, -1.0}) {
        const PastedNumber pasted{sign * four_decimals.value, four_decimals.half_unit};
        for (const double side : {1.0, -1.0}) {
            CHECK(agrees(pasted, static_cast<float>(sign * 0.1921 + side * 0.505e-4), false));
            CHECK_FALSE(agrees(pasted, static_cast<float>(sign * 0.1921 + side * 0.515e-4), false));
        }
        CHECK_FALSE(agrees(pasted, static_cast<float>(sign * 0.1922), false));  // one unit is another number
    }
}

TEST_CASE("digits that were not rounded for print may show float32's noise") {
    CHECK(agrees(seven_decimals, 0.1921002F, true));
    CHECK_FALSE(agrees(seven_decimals, 0.1921003F, false));
    CHECK_FALSE(agrees(seven_decimals, 0.1921006F, true));
}

TEST_CASE("inf and nan agree with themselves alone") {
    constexpr float infinite = std::numeric_limits<float>::infinity();
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    CHECK(agrees({inf, 0.0}, infinite, false));
    CHECK(agrees({not_a_number, 0.0}, nan, false));
    CHECK_FALSE(agrees({-inf, 0.0}, infinite, false));
    for (const float x : {infinite, nan}) {
        CHECK_FALSE(agrees(four_decimals, x, true));
    }
    CHECK_FALSE(agrees({inf, 0.0}, 0.0F, false));
    CHECK_FALSE(agrees({inf, 0.0}, nan, false));
    CHECK_FALSE(agrees({not_a_number, 0.0}, 0.0F, false));
    CHECK_FALSE(agrees({not_a_number, 0.0}, infinite, false));
}
