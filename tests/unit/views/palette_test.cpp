// The colours of heat maps: text on them is readable, and the grey of masked cells differs from all of them.
#include "views/heatmap/palette.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/inflate.hpp"

using namespace attn;

namespace {

constexpr Scale scales[] = {Scale::sequential, Scale::diverging};

// Returns a thousand and one colours of a scale, from its start to its end.
std::vector<Colour> colours_of(Scale scale) {
    std::vector<Colour> colours;
    for (int i = 0; i <= 1000; ++i) {
        colours.push_back(colour_at(scale, scale == Scale::sequential ? i / 1000.0 : i / 500.0 - 1));
    }
    return colours;
}

// Returns a number that rises with the lightness that people perceive.
double lightness(std::uint8_t index) {
    return contrast(black, indexed_colour(index));
}

}  // namespace

TEST_CASE("the ends and the middle of the scales are those of viridis and vik") {
    struct Case {
        Scale scale;
        double position;
        std::string_view colour;
    };
    for (const Case& one : {Case{Scale::sequential, 0, "#440154"},
                            {Scale::sequential, 1, "#fde725"},
                            {Scale::sequential, 100.0 / 255, "#2a768e"},
                            {Scale::diverging, -1, "#001261"},
                            {Scale::diverging, 1, "#590008"},
                            {Scale::diverging, 0, "#ece6e1"}}) {
        CHECK(hex(colour_at(one.scale, one.position)) == one.colour);
    }
}

TEST_CASE("beyond an end of a scale is that end, and NaN its start") {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    for (const Scale scale : scales) {
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
    for (int i = 0; i < 256; ++i) {
        const auto part = static_cast<std::uint8_t>(i);
        const Colour grey{part, part, part};
        CHECK(contrast(text_on(grey), grey) >= 4.5);
    }
    for (const Scale scale : scales) {
        for (const Colour colour : colours_of(scale)) {
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
    const std::uint8_t grey = masked_grey.red;
    for (const Scale scale : scales) {
        for (const Colour colour : colours_of(scale)) {
            CHECK(std::abs(colour.red - grey) + std::abs(colour.green - grey) + std::abs(colour.blue - grey) >
                  75);
            CHECK(nearest_indexed(scale, colour) != 248);
        }
        CHECK(nearest_indexed(scale, masked_grey) == 248);
    }
}

TEST_CASE("the 256 colours are xterm's") {
    for (const auto& [index, colour] : {std::pair{16, "#000000"},
                                        {17, "#00005f"},
                                        {231, "#ffffff"},
                                        {208, "#ff8700"},
                                        {232, "#080808"},
                                        {255, "#eeeeee"}}) {
        CHECK(hex(indexed_colour(static_cast<std::uint8_t>(index))) == colour);
    }
    CHECK(indexed_colour(248) == masked_grey);
}

TEST_CASE("the colours of the 256 keep the order of the scale, by lightness too") {
    for (const Scale scale : scales) {
        std::vector<std::uint8_t> met;
        for (const Colour colour : colours_of(scale)) {
            const std::uint8_t index = nearest_indexed(scale, colour);
            if (met.empty() || met.back() != index) {
                CHECK(std::ranges::find(met, index) == met.end());
                met.push_back(index);
            }
        }
        CHECK(met.size() >= (scale == Scale::sequential ? 10 : 18));
        const auto lightest = std::ranges::max_element(met, {}, lightness);
        CHECK(std::ranges::is_sorted(met.begin(), lightest, {}, lightness));
        CHECK(std::ranges::is_sorted(lightest, met.end(), std::ranges::greater{}, lightness));
        CHECK((lightest == met.end() - 1) == (scale == Scale::sequential));
    }
}
