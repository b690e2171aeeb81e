// Selects the rows, columns and matrices to show.
#include "views/page/page_part.hpp"

#include <algorithm>

namespace attn {

namespace {

constexpr std::size_t most_lines = 64;  // if there are more rows or columns, only some are shown
// How many rows or columns are shown if there are more than most_lines.
constexpr std::size_t first_lines = 32;
constexpr std::size_t most_matrices = 16;  // the most matrices shown along one axis

}  // namespace

Shape shown_part(const Shape& shape) {
    Shape shown = shape;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
        if (axis + 2 < shape.rank()) {
            shown[axis] = std::min(shape[axis], most_matrices);
        } else if (shape[axis] > most_lines) {
            shown[axis] = first_lines;
        }
    }
    return shown;
}

std::vector<Index> shown_cells(const Shape& shape) {
    const Tensor part(shown_part(shape));
    std::vector<Index> cells;
    for (std::size_t i = 0; i < part.count(); ++i) {
        cells.push_back(part.index(i));
    }
    return cells;
}

}  // namespace attn
