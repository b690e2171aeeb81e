// A tensor as a heat map: its matrices, the labels or numbers that head their rows and columns, what stands
// in the cells and behind it. Text and picture are drawn from it.
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
    std::string name;                 // "query (row)"; empty where there is no such axis
    std::vector<std::string> labels;  // made safe to show, or numbers; one empty one without an axis
};

struct HeatCell {
    std::string number;  // as PyTorch prints it among the others of the tensor
    CellKind kind;
    Colour colour;    // behind the number
    double position;  // on the scale
};

class Heatmap {
public:
    // For a step of rank 1 or more that has a number.
    Heatmap(const Notebook& notebook, std::size_t node, const Words& phrases, const PrintOptions& options);

    // True if a tensor can be drawn.
    static bool can_show(const Tensor& x) { return x.rank() > 0 && x.count() > 0; }

    HeatAxis row, column;

    std::size_t matrices() const;
    std::size_t abreast() const;  // how many belong side by side: the heads of one batch, or the batches
    std::string heading(std::size_t matrix) const;  // "batch 0 · head 1"; empty for a tensor that is a matrix
    HeatCell cell(std::size_t matrix, std::size_t i, std::size_t j) const;

    Scale scale() const { return shading_.scale; }
    bool has(CellKind kind) const;
    // The legend: where the scale begins and ends, and the least and the greatest number that is finite.
    std::string scale_start() const { return number_(scale() == Scale::sequential ? 0 : -shading_.largest); }
    std::string scale_middle() const { return number_(0); }
    std::string scale_end() const { return number_(shading_.largest); }
    std::string least() const { return number_(least_); }
    std::string greatest() const { return number_(greatest_); }

private:
    const Node* node_;
    Shading shading_;
    std::vector<std::string> outer_axes_;  // those before the rows
    std::function<std::string(float)> number_;
    float least_ = 0, greatest_ = 0;
};

// The most that a medium shows of a heat map, and the display columns of its texts.
struct HeatmapRoom {
    std::size_t rows, columns, matrices;
    std::size_t label;    // of a row
    std::size_t heading;  // of a column
};

// The part of a heat map that a medium shows: its first rows, columns and matrices.
struct HeatmapPart {
    HeatmapPart(const Heatmap& of, const HeatmapRoom& room);

    const Heatmap& map;
    std::size_t rows, columns, matrices;
    std::size_t widest_heading;
    std::size_t label_width;  // display columns of the rows' labels, and of the name above them

    // Display columns of the widest number or heading shown.
    std::size_t cell_width() const;
    // "… 12 more columns"; empty where the axis, `rows`, `columns` or `matrices`, is shown whole.
    std::string left_out(std::string_view axis, const Words& phrases) const;
};

// The colour of a legend's bar, `share` of the way along it.
Colour legend_colour(Scale scale, double share);

}  // namespace attn
