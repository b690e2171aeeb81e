// A heat map in a terminal, or as plain text without colour.
#pragma once

#include <cstddef>
#include <string>

#include "views/heatmap/heatmap.hpp"

namespace attn {

enum class ColourDepth {
    none,     // no colours: the darker the sign next to a number, the further it is from 0
    indexed,  // the 256 colours of xterm
    direct,   // 24 bits
};

struct HeatmapStyle {
    ColourDepth colours = ColourDepth::none;
    std::size_t width = 80;  // the width in columns; longer lines are cut, not wrapped
};

// Returns the matrices one below the other, with the numbers on coloured cells, and a legend. `/` marks
// masked cells and `x` dropped cells, with and without colours. Columns that do not fit, rows after the 32nd
// and matrices after the 8th are left out and counted.
std::string heatmap_text(const Heatmap& map, const Words& phrases, const HeatmapStyle& style);

}  // namespace attn
