// The colour scale of a tensor's numbers, and which of them are masked or dropped. Read off the recorded
// calls; no name of a step decides.
#pragma once

#include <cstddef>
#include <vector>

#include "notebook/notebook.hpp"
#include "views/heatmap/palette.hpp"

namespace attn {

struct Shading {
    Scale scale = Scale::sequential;
    float largest = 0;  // magnitude of what is finite, where the scale ends; one for all batches and heads
    std::vector<CellKind> kinds;  // one per number of the tensor, row-major

    // The shade of a cell, by its offset and its value. Infinity and NaN that no mask made have the grey of
    // masked cells too.
    Colour colour(std::size_t place, float value) const;
};

Shading shading_of(const Notebook& notebook, std::size_t node);

}  // namespace attn
