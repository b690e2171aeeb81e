// A heat map as one picture that needs nothing beside it: for slides, and for readers who hear it.
#pragma once

#include <string>

#include "views/format.hpp"
#include "views/heatmap/heatmap.hpp"

namespace attn {

struct Caption {
    std::string name;   // of the step
    std::string title;  // its description
    std::string language;
};

// An SVG document: caption, headings, each number on its colour, and the legend. The caption is also its
// accessible title. The description has the numbers row by row, if there are not too many. Masked cells are
// hatched and the numbers of dropped ones struck through. Shows at most the first 48 rows, 48 columns and 16
// matrices, with the number left out.
std::string heatmap_svg(const Heatmap& map, const Words& phrases, const Caption& caption);

// The picture of the one step shown.
void write_svg(const WriteBytes& write, const Trace& trace, const Style& style);
void require_picture(const Trace& trace);

}  // namespace attn
