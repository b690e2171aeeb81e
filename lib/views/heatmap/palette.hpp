// The colours of heat maps, the same in a terminal, a picture and a page. Both scales keep their order for
// readers who see few colours or none: lightness carries it.
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
// The colour of a masked cell: a grey far from the colours of both scales.
inline constexpr Colour masked_grey{168, 168, 168};

enum class Scale {
    sequential,  // viridis: from 0, dark, to 1, light. For what is never negative, such as weights
    diverging,   // vik: from -1, blue, over 0, nearly white, to 1, red-brown. For what has a sign, such as
                 // scores
};

// The colour at a position, of which NaN and what lies beyond an end are taken for the start and that end.
Colour colour_at(Scale scale, double position);

// Where a number lies on a scale that ends at `largest`, the largest magnitude of its tensor.
double position_of(float x, float largest);

// "#00224e"
std::string hex(Colour colour);

// How well one can be read on the other, from 1 to 21: the contrast ratio of WCAG 2.1, which asks for 4.5.
double contrast(Colour a, Colour b);

// Black or white, whichever reads better on the background; that is 4.58 or more on any.
Colour text_on(Colour background);

// The nearest of the few of xterm's 256 colours that stand for a scale and for masked cells.
std::uint8_t nearest_indexed(Scale scale, Colour colour);
// The colours 16 to 255 of xterm, which no user's theme changes.
Colour indexed_colour(std::uint8_t index);

}  // namespace attn
