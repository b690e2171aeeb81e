// The colours of heat maps: text on them is readable, and the grey of masked cells differs from all of them.
#include "views/heatmap/palette.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "files/inflate.hpp"

using namespace attn;

namespace {

// OKLab (B. Ottosson, 2020), in which distances are close to those that people perceive.
struct Lab {
    double lightness, a, b;
};

Lab oklab(Colour colour) {
    const auto linear = [](std::uint8_t part) {
        const double x = part / 255.0;
        return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
    };
    const double r = linear(colour.red);
    const double g = linear(colour.green);
    const double b = linear(colour.blue);
    const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
            1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
            0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

double distance(Colour x, Colour y) {
    const Lab a = oklab(x);
    const Lab b = oklab(y);
    return std::hypot(a.lightness - b.lightness, a.a - b.a, a.b - b.b);
}

constexpr int steps = 1000;

// Returns the position of a step on a scale.
double along(Scale scale, int step) {
    return scale == Scale::sequential ? step / double{steps} : 2 * (step / double{steps}) - 1;
}

}  // namespace

TEST_CASE("the ends and the middle of the scales are those of viridis and vik") {
    CHECK(hex(colour_at(Scale::sequential, 0)) == "#440154");
    CHECK(hex(colour_at(Scale::sequential, 1)) == "#fde725");
    CHECK(hex(colour_at(Scale::sequential, 100.0 / 255)) == "#2a768e");
    CHECK(hex(colour_at(Scale::diverging, -1)) == "#001261");
    CHECK(hex(colour_at(Scale::diverging, 1)) == "#590008");
    CHECK(hex(colour_at(Scale::diverging, 0)) == "#ece6e1");
}

TEST_CASE("beyond an end of a scale is that end, and NaN its start") {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    for (const Scale scale : {Scale::sequential, Scale::diverging}) {
        CHECK(colour_at(scale, 7) == colour_at(scale, 1));
        CHECK(colour_at(scale, -7) == colour_at(scale, scale == Scale::sequential ? 0 : -1));
        CHECK(colour_at(scale, nan) == colour_at(scale, -7));
    }
    CHECK(position_of(-3, 4) == -0.75);
    CHECK(position_of(0, 0) == 0);
}

TEST_CASE("text can be read on every colour, in 24 bits and of the 256") {
    CHECK(contrast(black, white) == doctest::Approx(21));
    CHECK(text_on(white) == black);
    CHECK(text_on(black) == white);
    for (int i = 0; i <= 256; ++i) {
        const Colour grey{static_cast<std::uint8_t>(i % 256), static_cast<std::uint8_t>(i % 256),
                          static_cast<std::uint8_t>(i % 256)};
        CHECK(contrast(text_on(grey), grey) >= 4.5);
    }
    for (int i = 0; i <= steps; ++i) {
        for (const Scale scale : {Scale::sequential, Scale::diverging}) {
            const Colour colour = colour_at(scale, along(scale, i));
            const Colour indexed = indexed_colour(nearest_indexed(scale, colour));
            CHECK(contrast(text_on(colour), colour) >= 4.5);
            CHECK(contrast(text_on(indexed), indexed) >= 4.5);
        }
    }
}

TEST_CASE("no colour between the ends of the scales changes unnoticed") {
    std::string colours;
    for (int i = 0; i < 256; ++i) {
        colours +=
            hex(colour_at(Scale::sequential, i / 255.0)) + hex(colour_at(Scale::diverging, i / 127.5 - 1));
    }
    CHECK(crc32(colours) == 812021205);
}

TEST_CASE("masked cells have a colour that no number has") {
    for (int i = 0; i <= steps; ++i) {
        for (const Scale scale : {Scale::sequential, Scale::diverging}) {
            const Colour colour = colour_at(scale, along(scale, i));
            CHECK(distance(colour, masked_grey) > 0.06);
            CHECK(nearest_indexed(scale, colour) != 248);
        }
    }
}

TEST_CASE("the 256 colours are xterm's") {
    CHECK(hex(indexed_colour(16)) == "#000000");
    CHECK(hex(indexed_colour(17)) == "#00005f");
    CHECK(hex(indexed_colour(231)) == "#ffffff");
    CHECK(hex(indexed_colour(208)) == "#ff8700");
    CHECK(hex(indexed_colour(232)) == "#080808");
    CHECK(hex(indexed_colour(255)) == "#eeeeee");
    CHECK(hex(indexed_colour(248)) == hex(masked_grey));
    CHECK(nearest_indexed(Scale::sequential, masked_grey) == 248);
    CHECK(nearest_indexed(Scale::diverging, masked_grey) == 248);
}

TEST_CASE("the colours of the 256 keep the order of the scale, by lightness too") {
    for (const Scale scale : {Scale::sequential, Scale::diverging}) {
        std::vector<std::uint8_t> met;
        for (int i = 0; i <= steps; ++i) {
            const std::uint8_t index = nearest_indexed(scale, colour_at(scale, along(scale, i)));
            if (met.empty() || met.back() != index) {
                CHECK(std::ranges::find(met, index) == met.end());
                met.push_back(index);
            }
        }
        CHECK(met.size() >= (scale == Scale::sequential ? 10 : 18));
        const auto lightness = [](std::uint8_t index) { return oklab(indexed_colour(index)).lightness; };
        const auto lightest = std::ranges::max_element(met, {}, lightness);
        CHECK(std::ranges::is_sorted(met.begin(), lightest, {}, lightness));
        CHECK(std::ranges::is_sorted(lightest, met.end(), std::ranges::greater{}, lightness));
        CHECK((lightest == met.end() - 1) == (scale == Scale::sequential));
    }
}
