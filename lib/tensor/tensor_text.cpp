// The printer works in two steps: the shown numbers become cells, all in one notation, and the cells are set
// into brackets. The rules, with their oddities, are those of PyTorch 1.13's torch/_tensor_str.py.
#include "tensor/tensor_text.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "tensor/error.hpp"

namespace attn {

namespace {

constexpr std::string_view opening = "tensor(";

// The notation for all numbers of one tensor: "2.", "2.5000" or "2.5000e+00".
enum class Notation { whole, fixed, scientific };

Notation choose_notation(std::span<const float> numbers) {
    bool whole = true;
    // Doubles, because PyTorch compares with doubles: 1e-4 as float32 is less than 1e-4, and so is printed as
    // scientific.
    double smallest = std::numeric_limits<double>::infinity();
    double largest = 0.0;
    for (const float x : numbers) {
        if (!std::isfinite(x) || x == 0.0F) {
            continue;
        }
        const double magnitude = std::abs(static_cast<double>(x));
        smallest = std::min(smallest, magnitude);
        largest = std::max(largest, magnitude);
        whole = whole && x == std::trunc(x);
    }
    // If every finite number is 0, smallest is infinite and largest 0, so that no bound is exceeded.
    if (largest / smallest > 1000.0 || largest > 1.0e8 || smallest < 1.0e-4) {
        return Notation::scientific;
    }
    return whole ? Notation::whole : Notation::fixed;
}

std::string number_text(float x, Notation notation, int precision) {
    if (std::isnan(x)) {
        return "nan";  // Python never shows the sign of NaN
    }
    if (std::isinf(x)) {
        return x < 0.0F ? "-inf" : "inf";
    }
    const auto value = static_cast<double>(x);
    return notation == Notation::whole   ? fmt::format(FMT_COMPILE("{:.0f}."), value)
           : notation == Notation::fixed ? fmt::format(FMT_COMPILE("{:.{}f}"), value, precision)
                                         : fmt::format(FMT_COMPILE("{:.{}e}"), value, precision);
}

constexpr std::size_t gap = std::numeric_limits<std::size_t>::max();  // stands for the "..." of a summary

// The positions that are shown along each axis.
using Positions = std::vector<std::vector<std::size_t>>;

std::vector<std::size_t> shown_positions(std::size_t size, std::size_t edge_items) {
    std::vector<std::size_t> positions(std::min(size, 2 * edge_items + 1));
    std::iota(positions.begin(), positions.end(), std::size_t{0});
    if (size > 2 * edge_items) {
        const auto tail = std::span(positions).subspan(edge_items + 1);
        std::iota(tail.begin(), tail.end(), size - edge_items);
        positions[edge_items] = gap;
    }
    return positions;
}

Positions shown_positions(const Tensor& x, const PrintOptions& options) {
    const bool summarised = x.count() > options.threshold;
    Positions positions;
    for (const std::size_t size : x.shape()) {
        positions.push_back(shown_positions(size, summarised ? options.edge_items : size));
    }
    return positions;
}

void collect(const Tensor& x, const Positions& positions, std::size_t axis, std::size_t offset,
             std::vector<float>& numbers) {
    if (axis == x.rank()) {
        numbers.push_back(x.values()[offset]);
        return;
    }
    for (const std::size_t position : positions[axis]) {
        if (position != gap) {
            collect(x, positions, axis + 1, offset * x.shape()[axis] + position, numbers);
        }
    }
}

std::vector<float> shown_numbers(const Tensor& x, const Positions& positions) {
    std::vector<float> numbers;
    collect(x, positions, 0, 0, numbers);
    return numbers;
}

// The numbers and brackets of a tensor that is not empty.
class Body {
public:
    Body(const Tensor& x, const PrintOptions& options)
        : rank_(x.rank()), positions_(shown_positions(x, options)) {
        const std::vector<float> numbers = shown_numbers(x, positions_);
        fill_cells(numbers, options.precision);

        const std::size_t indent = opening.size() + rank_ - 1;  // the opening brackets of the outer axes
        const std::size_t room = options.line_width - std::min(options.line_width, indent);
        cells_per_line_ = std::max<std::size_t>(1, room / (width_ + 2));
    }

    void append_to(std::string& out) const {
        auto cell = cells_.begin();
        append_axis(0, cell, out);
    }

private:
    void fill_cells(std::span<const float> numbers, int precision) {
        const Notation notation = choose_notation(numbers);
        for (const float x : numbers) {
            cells_.push_back(number_text(x, notation, precision));
            // Zeros, inf and nan do not widen the column, so they may be wider than it.
            if (std::isfinite(x) && x != 0.0F) {
                width_ = std::max(width_, cells_.back().size());
            }
        }
    }

    void append_axis(std::size_t axis, std::vector<std::string>::const_iterator& cell,
                     std::string& out) const {
        if (axis == rank_) {
            out.append(width_ - std::min(width_, cell->size()), ' ').append(*cell);
            ++cell;
            return;
        }
        const bool innermost = axis + 1 == rank_;
        out += '[';
        for (std::size_t i = 0; i < positions_[axis].size(); ++i) {
            if (i > 0) {
                append_separator(axis, i, out);
            }
            if (positions_[axis][i] == gap) {
                out += innermost ? " ..." : "...";
            } else {
                append_axis(axis + 1, cell, out);
            }
        }
        out += ']';
    }

    // Returns the separator before item i of an axis: a line break, plus one blank line for each axis further
    // out.
    void append_separator(std::size_t axis, std::size_t i, std::string& out) const {
        const bool innermost = axis + 1 == rank_;
        if (innermost && i % cells_per_line_ != 0) {
            out += ", ";
            return;
        }
        out += ',';
        out.append(innermost ? 1 : rank_ - axis - 1, '\n').append(opening.size() + axis + 1, ' ');
    }

    std::size_t rank_;
    Positions positions_;
    std::vector<std::string> cells_;  // the numbers shown, in reading order
    std::size_t width_ = 1;
    std::size_t cells_per_line_ = 1;
};

// Puts the suffix on the last line if a column stays free after the closing bracket, else on a new line.
void append_suffix(std::string_view suffix, std::size_t line_width, std::string& out) {
    const std::size_t last_line = out.size() - (out.rfind('\n') + 1);
    if (last_line + 2 + suffix.size() + 2 <= line_width) {
        out += ", ";
    } else {
        out.append(",\n").append(opening.size(), ' ');
    }
    out += suffix;
}

}  // namespace

std::function<std::string(float)> number_writer(const Tensor& x, const PrintOptions& options) {
    const Notation notation = choose_notation(shown_numbers(x, shown_positions(x, options)));
    return [notation, precision = options.precision](float number) {
        return number_text(number, notation, precision);
    };
}

std::string tensor_text(const Tensor& x, const Suffix& suffix, const PrintOptions& options) {
    if (options.precision < 0 || options.edge_items == 0) {
        throw Error("[tensor_text] Expected a precision of 0 or more and edge items but received {} and {}.",
                    options.precision, options.edge_items);
    }
    std::string out(opening);
    if (x.count() == 0) {
        out += "[]";
    } else {
        Body(x, options).append_to(out);
    }
    if (x.count() == 0 && x.rank() != 1) {
        append_suffix("size=" + x.shape().text(), options.line_width, out);
    }
    if (!suffix.grad_fn.empty()) {
        append_suffix(fmt::format("grad_fn=<{}>", suffix.grad_fn), options.line_width, out);
    } else if (suffix.requires_grad) {
        append_suffix("requires_grad=True", options.line_width, out);
    }
    out += ')';
    return suffix.parameter ? "Parameter containing:\n" + out : out;
}

}  // namespace attn
