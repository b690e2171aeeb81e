// Windows and classes of colours.
#include "views/page/page_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "views/heatmap/palette.hpp"

namespace attn {

namespace {

constexpr std::size_t most_lines = 64;     // rows, or columns, that are shown whole
constexpr std::size_t first_lines = 32;    // of those that are more
constexpr std::size_t most_matrices = 16;  // along one axis
constexpr int colours = 64;

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

std::string colour_class(const Shading& shading, std::size_t place, float value) {
    if (shading.kinds[place] != CellKind::number) {
        return shading.kinds[place] == CellKind::masked ? "m" : "x";
    }
    if (!std::isfinite(value)) {
        return "n";
    }
    if (value == 0.0F) {
        return "z";
    }
    const bool diverging = shading.scale == Scale::diverging;
    const double share = position_of(value, shading.largest);
    const double at = std::clamp(diverging ? (share + 1.0) / 2.0 : share, 0.0, 1.0);
    return fmt::format("{}{}", diverging ? 'b' : 'a', static_cast<int>(std::floor(at * (colours - 1) + 0.5)));
}

}  // namespace attn
