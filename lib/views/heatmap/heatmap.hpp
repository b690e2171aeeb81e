// The content of a heat map: matrices, labels of rows and columns, numbers and colours. Text and picture are
// drawn from it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "notebook/notebook.hpp"
#include "tensor/tensor_text.hpp"
#include "views/heatmap/shading.hpp"
#include "words/words.hpp"

namespace attn {

struct HeatAxis {
    std::string name;                 // "query (row)"; empty if there is no such axis
    std::vector<std::string> labels;  // escaped, or numbers; a single empty one if there is no axis
};

struct HeatCell {
    std::string number;  // the number as PyTorch prints it within the tensor
    CellKind kind;
    Colour colour;    // the background colour
    double position;  // the number's position on the colour scale
};

class Heatmap {
public:
    // Needs a step with at least one axis and one number.
    Heatmap(const Notebook& notebook, std::size_t node, const Words& phrases, const PrintOptions& options);

    // Returns true if a tensor can be drawn.
    static bool can_show(const Tensor& x) { return x.rank() > 0 && x.count() > 0; }

    HeatAxis row, column;

    std::size_t matrices() const;
    // Returns the number of matrices side by side: the heads of one sequence, or the sequences.
    std::size_t abreast() const;
    std::string heading(std::size_t matrix) const;  // "batch 0 · head 1"; empty for a single matrix
    HeatCell cell(std::size_t matrix, std::size_t i, std::size_t j) const;

    Scale scale() const { return shading_.scale; }
    bool has(CellKind kind) const;
    // The legend: start and end of the scale, and the smallest and the largest finite number.
    std::string scale_start() const { return number_(scale() == Scale::sequential ? 0 : -shading_.largest); }
    std::string scale_middle() const { return number_(0); }
    std::string scale_end() const { return number_(shading_.largest); }
    std::string least() const { return number_(least_); }
    std::string greatest() const { return number_(greatest_); }

private:
    const Node* node_;
    Shading shading_;
    std::vector<std::string> outer_axes_;  // the axes before the rows
    std::function<std::string(float)> number_;
    float least_ = 0, greatest_ = 0;
};

// The limits of a medium: how much it shows of a heat map, and the width of its texts in columns.
struct HeatmapRoom {
    std::size_t rows, columns, matrices;
    std::size_t label;    // width of a row's label
    std::size_t heading;  // width of a column's heading
};

// The part of a heat map that a medium shows: its first rows, columns and matrices.
struct HeatmapPart {
    HeatmapPart(const Heatmap& of, const HeatmapRoom& room);

    const Heatmap& map;
    std::size_t rows, columns, matrices;
    std::size_t widest_heading;
    std::size_t label_width;  // the columns that the labels of the rows and the name above them need

    // Returns the columns that the widest shown number or heading needs.
    std::size_t cell_width() const;
    // Returns "… 12 more columns", or nothing if the axis (`rows`, `columns` or `matrices`) is shown in full.
    std::string left_out(std::string_view axis, const Words& phrases) const;
};

// Returns the colour of a legend's bar at a position from 0 to 1.
Colour legend_colour(Scale scale, double share);

}  // namespace attn
