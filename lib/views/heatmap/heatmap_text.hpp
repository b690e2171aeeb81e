// A heat map in a terminal, or as plain text without colour.
#pragma once

#include <cstddef>
#include <string>

#include "views/heatmap/heatmap.hpp"

namespace attn {

enum class ColourDepth {
    none,     // signs next to the numbers instead of colours; the darker, the further from 0
    indexed,  // the 256 colours of xterm
    direct,   // 24 bits
};

struct HeatmapStyle {
    ColourDepth colours = ColourDepth::none;
    std::size_t width = 80;  // width in columns; wider lines are cut, not wrapped
};

// Returns the matrices one below the other, with the numbers on their colours, and a legend. `/` marks masked
// cells and `x` dropped ones, also if there are colours. Columns that do not fit are left out and counted, as
// are rows after the 32nd and matrices after the 8th.
std::string heatmap_text(const Heatmap& map, const Words& phrases, const HeatmapStyle& style);

}  // namespace attn
