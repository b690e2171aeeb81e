// A heat map in a terminal, or as plain text where there is no colour.
#pragma once

#include <cstddef>
#include <string>

#include "views/heatmap/heatmap.hpp"

namespace attn {

enum class ColourDepth {
    none,     // a sign beside each number instead, the darker the further from 0
    indexed,  // the 256 colours of xterm
    direct,   // 24 bits
};

struct HeatmapStyle {
    ColourDepth colours = ColourDepth::none;
    std::size_t width = 80;  // columns; what is wider is cut, never wrapped
};

// The matrices one below the other, each number on its colour, and a legend. `/` marks masked cells and `x`
// dropped ones, with colours too. Columns that do not fit are left out and counted, as are rows after the
// 32nd and matrices after the 8th.
std::string heatmap_text(const Heatmap& map, const Words& phrases, const HeatmapStyle& style);

}  // namespace attn
