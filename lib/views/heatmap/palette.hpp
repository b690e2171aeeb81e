// The colours of heat maps, the same in terminal, picture and page. Lightness shows the order of both scales,
// also to readers who see few colours or none.
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
// The colour of a masked cell: a grey that is far from all colours of both scales.
inline constexpr Colour masked_grey{168, 168, 168};

enum class Scale {
    sequential,  // viridis: from 0, dark, to 1, light. For numbers that are never negative, such as weights
    diverging,   // vik: from -1, blue, over 0, nearly white, to 1, red-brown. For numbers with a sign, such
                 // as scores
};

// Returns the colour at a position. NaN counts as the start, and positions beyond an end count as that end.
Colour colour_at(Scale scale, double position);

// Returns the position of a number on a scale that ends at `largest`, the largest magnitude of its tensor.
double position_of(float x, float largest);

// "#00224e"
std::string hex(Colour colour);

// Returns the contrast ratio of WCAG 2.1, from 1 to 21: how well one colour can be read on the other. WCAG
// requires 4.5.
double contrast(Colour a, Colour b);

// Returns black or white, whichever is easier to read on the background. Their contrast is always at least
// 4.58.
Colour text_on(Colour background);

// Returns the nearest of the few xterm colours that are used for a scale and for masked cells.
std::uint8_t nearest_indexed(Scale scale, Colour colour);
// Returns one of xterm's colours 16 to 255, which themes do not change.
Colour indexed_colour(std::uint8_t index);

}  // namespace attn
