// A heat map as a self-contained picture, for slides and for screen readers.
#pragma once

#include <string>

#include "views/format.hpp"
#include "views/heatmap/heatmap.hpp"

namespace attn {

struct Caption {
    std::string name;   // the step's name
    std::string title;  // the step's title
    std::string language;
};

// Returns an SVG document: caption, headings, the numbers on their colours, and the legend. The caption is
// also its accessible title. The description has the numbers row by row, if there are not too many. Masked
// cells are hatched, and the numbers of dropped cells are struck through. At most the first 48 rows, 48
// columns and 16 matrices are shown, with a note of how many are missing.
std::string heatmap_svg(const Heatmap& map, const Words& phrases, const Caption& caption);

// Writes the picture of the only shown step.
void write_svg(const WriteBytes& write, const Trace& trace, const Style& style);
void require_picture(const Trace& trace);

}  // namespace attn
