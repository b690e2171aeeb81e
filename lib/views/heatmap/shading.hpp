// Chooses the colour scale of a tensor and marks masked and dropped numbers. Both follow from the recorded
// calls, never from a step's name.
#pragma once

#include <cstddef>
#include <vector>

#include "notebook/notebook.hpp"
#include "views/heatmap/palette.hpp"

namespace attn {

struct Shading {
    Scale scale = Scale::sequential;
    float largest = 0;  // the largest finite magnitude of all batches and heads: the end of the scale
    std::vector<CellKind> kinds;  // the kind of each number of the tensor, row-major

    // Returns the colour of a cell, given its offset and value. Infinity and NaN get the grey of masked cells
    // even if no mask caused them.
    Colour colour(std::size_t place, float value) const;
};

Shading shading_of(const Notebook& notebook, std::size_t node);

}  // namespace attn
