// The content of a heat map: matrices, labels of rows and columns, numbers and colours. The text and the
// picture show the same content.
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
    std::string name;  // "query (row)"; empty if there is no such axis
    // The tokens, escaped, or numbers; a single empty label if there is no axis.
    std::vector<std::string> labels;
    std::size_t first = 0;  // the index of the first label
};

struct HeatMatrix {
    std::string heading;  // "batch 0 · head 1"; empty for a single matrix
    Index begin;          // the index of its first number
};

struct HeatCell {
    std::string number;  // the number as PyTorch prints it in the tensor
    CellKind kind;
    Colour colour;    // the background colour
    double position;  // the number's position on the colour scale
};

class Heatmap {
public:
    // The step must have at least one axis and one number.
    Heatmap(const Notebook& notebook, std::size_t node, const Words& phrases, const PrintOptions& options);

    // Shows only `count` rows from `first` on, at least one; of a vector, only these numbers.
    void show_rows(std::size_t first, std::size_t count);

    // Shows only the matrices at this index of the first axes.
    void show_matrices(const std::vector<std::size_t>& index);

    // Returns true if a tensor can be drawn.
    static bool can_show(const Tensor& x) { return x.rank() > 0 && x.count() > 0; }

    HeatAxis row, column;
    std::vector<HeatMatrix> matrices;
    std::size_t abreast;  // how many are side by side: the heads of a sequence, or the sequences

    HeatCell cell(std::size_t matrix, std::size_t i, std::size_t j) const;

    Scale scale() const { return shading_.scale; }
    bool has(CellKind kind) const;
    // The legend: the middle and both ends of the scale, the smallest and the largest finite number.
    std::string scale_start, scale_middle, scale_end, least, greatest;

private:
    const Tensor& value_;
    Shading shading_;
    std::function<std::string(float)> number_;
};

// The limits of a medium: how many rows, columns and matrices it shows, and how wide its labels are.
struct HeatmapRoom {
    std::size_t rows, columns, matrices;
    std::size_t label;    // width of a row's label
    std::size_t heading;  // width of a column's heading
};

// The part of a heat map that is shown: the first rows, columns and matrices.
struct HeatmapPart {
    HeatmapPart(const Heatmap& of, const HeatmapRoom& room);

    const Heatmap& map;
    std::size_t rows, columns, matrices;
    std::size_t widest_heading;
    std::size_t label_width;  // the width of the row labels and of the axis name above them

    // Returns the width of the widest number or heading that is shown.
    std::size_t cell_width() const;
};

// Returns a line such as "… 12 more columns" for `rows`, `columns` or `matrices`; empty if none is left out.
std::string left_out(std::string_view what, std::size_t count, const Words& phrases);

// Returns the colour of a legend's bar at a position from 0 to 1.
Colour legend_colour(Scale scale, double share);

}  // namespace attn
