// Interpolates colours between two entries of a table. Contrast is computed as in WCAG; indexed colours are
// those of xterm.
#include "views/heatmap/palette.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>

#include "views/heatmap/palette_tables.hpp"

namespace attn {

namespace {

constexpr unsigned first_of_cube = 16;
constexpr unsigned first_grey = 232;
constexpr unsigned cube_levels[] = {0, 95, 135, 175, 215, 255};

// Chosen by hand, because the nearest of all 256 colours would break two rules. Lightness rises to the end,
// or rises to the middle and then falls. Each grey clearly differs from the last entry, the grey of masked
// cells.
constexpr std::array<std::uint8_t, 11> indexed_viridis{53, 54, 24, 30, 36, 77, 113, 148, 184, 220, 248};
constexpr std::array<std::uint8_t, 19> indexed_vik{17,  24,  31,  67,  74,  110, 152, 188, 253, 254,
                                                   224, 223, 181, 180, 173, 130, 88,  52,  248};

Colour entry(std::string_view table, std::size_t i) {
    std::uint32_t colour = 0;
    const char* const digits = table.data() + 6 * i;
    std::from_chars(digits, digits + 6, colour, 16);
    const auto part = [&](unsigned shift) { return std::uint8_t((colour >> shift) & 0xFFU); };
    return {part(16), part(8), part(0)};
}

std::uint8_t between(std::uint8_t a, std::uint8_t b, double share) {
    return std::uint8_t(std::lround(a + (b - a) * share));
}

// https://www.w3.org/TR/WCAG21/#dfn-relative-luminance
double luminance(Colour colour) {
    const auto linear = [](std::uint8_t part) {
        const double x = part / 255.0;
        return x <= 0.03928 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.red) + 0.7152 * linear(colour.green) + 0.0722 * linear(colour.blue);
}

int distance(Colour a, Colour b) {
    const int red = a.red - b.red, green = a.green - b.green, blue = a.blue - b.blue;
    return red * red + green * green + blue * blue;
}

}  // namespace

Colour colour_at(Scale scale, double position) {
    const double share = scale == Scale::sequential ? position : (position + 1.0) / 2.0;
    const double place = (share > 0.0 ? std::min(share, 1.0) : 0.0) * 255.0;
    const auto below = std::size_t(place);
    const std::string_view table = scale == Scale::sequential ? viridis : vik;
    const Colour a = entry(table, below);
    const Colour b = entry(table, std::min<std::size_t>(below + 1, 255));
    const double rest = place - double(below);
    return {between(a.red, b.red, rest), between(a.green, b.green, rest), between(a.blue, b.blue, rest)};
}

double position_of(float x, float largest) {
    return largest > 0.0F ? double(x) / double(largest) : 0.0;
}

std::string hex(Colour colour) {
    return fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue);
}

double contrast(Colour a, Colour b) {
    const auto [darker, lighter] = std::minmax({luminance(a), luminance(b)});
    return (lighter + 0.05) / (darker + 0.05);
}

Colour text_on(Colour background) {
    return contrast(black, background) > contrast(white, background) ? black : white;
}

Colour indexed_colour(std::uint8_t index) {
    if (index >= first_grey) {
        const auto grey = std::uint8_t(8U + 10U * (index - first_grey));
        return {grey, grey, grey};
    }
    const unsigned cell = index - first_of_cube;
    const auto level = [](unsigned i) { return std::uint8_t(cube_levels[i]); };
    return {level(cell / 36), level(cell / 6 % 6), level(cell % 6)};
}

std::uint8_t nearest_indexed(Scale scale, Colour colour) {
    const auto distance_of = [&](std::uint8_t index) { return distance(colour, indexed_colour(index)); };
    const std::span<const std::uint8_t> indices =
        scale == Scale::sequential ? std::span<const std::uint8_t>(indexed_viridis) : indexed_vik;
    return *std::ranges::min_element(indices, {}, distance_of);
}

}  // namespace attn
