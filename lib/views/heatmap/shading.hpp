// Chooses the colour scale of a tensor: diverging if it shows a negative number. Marks masked and dropped
// numbers, which follow from the recorded calls and not from the names of steps.
#pragma once

#include <cstddef>
#include <vector>

#include "notebook/notebook.hpp"
#include "views/heatmap/palette.hpp"

namespace attn {

struct Shading {
    Scale scale = Scale::sequential;
    float largest = 0;  // the largest finite magnitude in all batches and heads, where the scale ends
    std::vector<CellKind> kinds;  // the kind of each number, row by row

    // Returns the colour of a cell with this offset and value. Infinity and NaN are grey like masked cells,
    // even without a mask.
    Colour colour(std::size_t place, float value) const;
};

Shading shading_of(const Notebook& notebook, std::size_t node);

}  // namespace attn
