// Finds the headings of a heat map: the names of the axes and the labels of their positions.
#include "views/heatmap/heatmap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "text/lists.hpp"
#include "text/printable.hpp"
#include "text/width.hpp"

namespace attn {

namespace {

constexpr std::size_t most_heatmap_label = 64;  // longer labels are cut

}  // namespace

Heatmap::Heatmap(const Notebook& notebook, std::size_t node, const Words& phrases,
                 const PrintOptions& options)
    : value_(notebook.nodes()[node].value),
      shading_(shading_of(notebook, node)),
      number_(number_writer(value_, options)) {
    const Axes& axes = notebook.nodes()[node].axes;
    const std::size_t rank = value_.rank();
    abreast = rank < 3 ? 1 : value_.size(-3);
    // A position without a label, such as one after the last token, gets its number as heading.
    const auto axis = [&](std::size_t i, std::string_view phrase) {
        const std::vector<std::string> labels = notebook.labels(axes[i]);
        HeatAxis heading{phrases(phrase, phrases.axis(axes[i])), {}};
        for (std::size_t at = 0; at < value_.shape()[i]; ++at) {
            heading.labels.push_back(at < labels.size() ? printable(labels[at], most_heatmap_label)
                                                        : std::to_string(at));
        }
        return heading;
    };
    column = axis(rank - 1, "column_axis");
    row = rank == 1 ? HeatAxis{"", {""}} : axis(rank - 2, "row_axis");
    for (std::size_t at = 0; at < value_.count(); at += row.labels.size() * column.labels.size()) {
        const Index begin = value_.index(at);
        std::string heading;
        for (std::size_t i = 0; i + 2 < rank; ++i) {
            heading += fmt::format("{}{} {}", i == 0 ? "" : " · ", phrases.axis(axes[i]), begin[i]);
        }
        matrices.push_back({heading, begin});
    }
    std::vector<float> finite;
    std::ranges::copy_if(value_.values(), std::back_inserter(finite),
                         [](float number) { return std::isfinite(number); });
    least = number_(finite.empty() ? 0 : std::ranges::min(finite));
    greatest = number_(finite.empty() ? 0 : std::ranges::max(finite));
    scale_start = number_(scale() == Scale::sequential ? 0 : -shading_.largest);
    scale_middle = number_(0);
    scale_end = number_(shading_.largest);
}

void Heatmap::show_rows(std::size_t first, std::size_t count) {
    HeatAxis& rows = value_.rank() == 1 ? column : row;
    const auto from = rows.labels.begin() + std::ptrdiff_t(first);
    rows.labels = std::vector(from, from + std::ptrdiff_t(count));
    rows.first = first;
}

void Heatmap::show_matrices(const std::vector<std::size_t>& index) {
    std::erase_if(matrices, [&](const HeatMatrix& one) {
        return !std::equal(index.begin(), index.end(), one.begin.begin());
    });
}

HeatCell Heatmap::cell(std::size_t matrix, std::size_t i, std::size_t j) const {
    const std::size_t columns = value_.size(-1);
    const std::size_t place =
        value_.offset(matrices[matrix].begin) + (row.first + i) * columns + column.first + j;
    const float value = value_.values()[place];
    return {number_(value), shading_.kinds[place], shading_.colour(place, value),
            std::isfinite(value) ? position_of(value, shading_.largest) : 0.0};
}

bool Heatmap::has(CellKind kind) const {
    return contains(shading_.kinds, kind);
}

HeatmapPart::HeatmapPart(const Heatmap& of, const HeatmapRoom& room)
    : map(of),
      rows(std::min(of.row.labels.size(), room.rows)),
      columns(std::min(of.column.labels.size(), room.columns)),
      matrices(std::min(of.matrices.size(), room.matrices)),
      widest_heading(room.heading),
      label_width(display_width(of.row.name)) {
    for (std::size_t i = 0; i < rows; ++i) {
        label_width = std::max(label_width, std::min(room.label, display_width(of.row.labels[i])));
    }
}

std::size_t HeatmapPart::cell_width() const {
    std::size_t widest = 0;
    for (std::size_t j = 0; j < columns; ++j) {
        widest = std::max(widest, std::min(widest_heading, display_width(map.column.labels[j])));
        for (std::size_t matrix = 0; matrix < matrices; ++matrix) {
            for (std::size_t i = 0; i < rows; ++i) {
                widest = std::max(widest, map.cell(matrix, i, j).number.size());
            }
        }
    }
    return widest;
}

std::string left_out(std::string_view what, std::size_t count, const Words& phrases) {
    return count == 0
               ? ""
               : "… " + phrases(fmt::format("{}_left_out{}", what, count == 1 ? "_1" : ""), count) + "\n";
}

Colour legend_colour(Scale scale, double share) {
    return colour_at(scale, scale == Scale::sequential ? share : 2 * share - 1);
}

}  // namespace attn
