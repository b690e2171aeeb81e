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

// Returns an SVG document: caption, headings, the numbers on their colours, and the legend. For screen
// readers, the caption is the title, and the numbers, if there are not too many, are the description. Masked
// cells are hatched, and the numbers of dropped cells are struck through. Only the first 48 rows, 48 columns
// and 16 matrices are shown; a note counts the others.
std::string heatmap_svg(const Heatmap& map, const Words& phrases, const Caption& caption);

// Writes the picture of a step, the only one that is shown.
void write_svg(const WriteBytes& write, const Trace& trace, const Style& style);
void require_picture(const Trace& trace);

}  // namespace attn
