// Finds the headings of a heat map: the names of the axes and the labels of their positions.
#include "views/heatmap/heatmap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "text/printable.hpp"
#include "text/width.hpp"

namespace attn {

namespace {

constexpr std::size_t most_heatmap_label = 64;  // longer labels are cut

// A position without a label, such as one after the last token, gets its number as heading.
std::vector<std::string> labels_of(std::size_t size, const std::vector<std::string>& labels) {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < size; ++i) {
        all.push_back(i < labels.size() ? printable(labels[i], most_heatmap_label) : std::to_string(i));
    }
    return all;
}

}  // namespace

Heatmap::Heatmap(const Notebook& notebook, std::size_t node, const Words& phrases,
                 const PrintOptions& options)
    : node_(&notebook.nodes()[node]),
      shading_(shading_of(notebook, node)),
      number_(number_writer(node_->value, options)) {
    const Tensor& x = node_->value;
    const auto axis = [&](std::size_t i, std::string_view phrase) {
        const std::string& name = node_->axes.at(i);
        return HeatAxis{phrases(phrase, phrases.axis(name)), labels_of(x.shape()[i], notebook.labels(name))};
    };
    column = axis(x.rank() - 1, "column_axis");
    row = x.rank() == 1 ? HeatAxis{"", {""}} : axis(x.rank() - 2, "row_axis");
    all_rows_ = row.labels.size();
    all_columns_ = column.labels.size();
    for (std::size_t i = 0; i + 2 < x.rank(); ++i) {
        outer_axes_.push_back(phrases.axis(node_->axes[i]));
    }
    std::vector<float> finite;
    std::ranges::copy_if(x.values(), std::back_inserter(finite),
                         [](float number) { return std::isfinite(number); });
    if (!finite.empty()) {
        least_ = std::ranges::min(finite);
        greatest_ = std::ranges::max(finite);
    }
}

void Heatmap::show_rows(std::size_t first, std::size_t count) {
    const bool is_vector = node_->value.rank() == 1;
    std::vector<std::string>& labels = is_vector ? column.labels : row.labels;
    const auto from = labels.begin() + static_cast<std::ptrdiff_t>(first);
    labels = std::vector(from, from + static_cast<std::ptrdiff_t>(count));
    (is_vector ? first_column_ : first_row_) = first;
}

void Heatmap::show_matrix(const std::vector<std::size_t>& index) {
    std::size_t matrix = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
        matrix = matrix * node_->value.shape()[axis] + index[axis];
    }
    if (index.size() + 2 == node_->value.rank()) {
        only_matrix_ = matrix;
    }
}

std::size_t Heatmap::matrices() const {
    return only_matrix_ ? 1 : node_->value.count() / (all_rows_ * all_columns_);
}

std::size_t Heatmap::abreast() const {
    return only_matrix_ || node_->value.rank() < 3 ? 1 : node_->value.size(-3);
}

std::string Heatmap::heading(std::size_t matrix) const {
    const Tensor& x = node_->value;
    const Index index = x.index(only_matrix_.value_or(matrix) * all_rows_ * all_columns_);
    std::string text;
    for (std::size_t axis = 0; axis < outer_axes_.size(); ++axis) {
        text += fmt::format("{}{} {}", axis == 0 ? "" : " · ", outer_axes_[axis], index[axis]);
    }
    return text;
}

HeatCell Heatmap::cell(std::size_t matrix, std::size_t i, std::size_t j) const {
    const std::size_t place =
        (only_matrix_.value_or(matrix) * all_rows_ + first_row_ + i) * all_columns_ + first_column_ + j;
    const float value = node_->value.values()[place];
    return {number_(value), shading_.kinds[place], shading_.colour(place, value),
            std::isfinite(value) ? position_of(value, shading_.largest) : 0.0};
}

bool Heatmap::has(CellKind kind) const {
    return std::ranges::find(shading_.kinds, kind) != shading_.kinds.end();
}

HeatmapPart::HeatmapPart(const Heatmap& of, const HeatmapRoom& room)
    : map(of),
      rows(std::min(of.row.labels.size(), room.rows)),
      columns(std::min(of.column.labels.size(), room.columns)),
      matrices(std::min(of.matrices(), room.matrices)),
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

std::string HeatmapPart::left_out(std::string_view axis, const Words& phrases) const {
    const std::size_t count = axis == "rows"      ? map.row.labels.size() - rows
                              : axis == "columns" ? map.column.labels.size() - columns
                                                  : map.matrices() - matrices;
    return count == 0 ? ""
                      : "… " + phrases(fmt::format("{}_left_out{}", axis, count == 1 ? "_1" : ""), count);
}

Colour legend_colour(Scale scale, double share) {
    return colour_at(scale, scale == Scale::sequential ? share : 2 * share - 1);
}

}  // namespace attn
