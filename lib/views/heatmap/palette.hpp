// The colours of heat maps in terminal, picture and page. In the sequential scale, larger numbers are
// lighter; in the diverging one, numbers near 0 are. Readers who cannot tell colours apart see this, too.
#pragma once

#include <cstdint>
#include <string>

namespace attn {

struct Colour {
    std::uint8_t red = 0, green = 0, blue = 0;
    bool operator==(const Colour&) const = default;
};

inline constexpr Colour black{0, 0, 0};
inline constexpr Colour white{255, 255, 255};
// The colour of masked cells: a grey unlike all colours of both scales.
inline constexpr Colour masked_grey{168, 168, 168};

enum class Scale {
    sequential,  // viridis, for numbers that are never negative, such as weights: 0 is dark, 1 is light
    diverging,   // vik, for numbers with a sign, such as scores: -1 is blue, 0 nearly white, 1 red-brown
};

// Returns the colour at a position of the scale. NaN counts as the start, and positions beyond an end count
// as the end.
Colour colour_at(Scale scale, double position);

// Returns the position of a number on the scale. `largest` is the largest magnitude of its tensor, where the
// scale ends.
double position_of(float x, float largest);

// "#00224e"
std::string hex(Colour colour);

// Returns the contrast ratio of two colours by WCAG 2.1, from 1 to 21. WCAG requires 4.5 for text.
double contrast(Colour a, Colour b);

// Returns black or white, whichever is easier to read on the background. Their contrast is always at least
// 4.58.
Colour text_on(Colour background);

// Returns the nearest of those xterm colours that a scale and masked cells use.
std::uint8_t nearest_indexed(Scale scale, Colour colour);
// Returns one of the xterm colours 16 to 255, because themes do not change these.
Colour indexed_colour(std::uint8_t index);

}  // namespace attn
