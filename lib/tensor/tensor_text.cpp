// The printer works in two steps: it determines notation and column width from the numbers that are shown,
// and then writes them between brackets. The rules, with their oddities, are those of PyTorch 2's
// torch/_tensor_str.py.
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
enum class NumberStyle { whole, fixed, scientific };

struct Notations {
    NumberStyle usual;
    NumberStyle without_exponents;
};

Notations choose_notation(std::span<const float> numbers) {
    bool whole = true;
    // PyTorch compares doubles. 1e-4 as float32 is slightly less than as double, so it is printed in
    // scientific notation.
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
    // If all finite numbers are 0, smallest is infinite and largest is 0; then no limit is exceeded.
    const bool is_scientific = largest / smallest > 1000.0 || largest > 1.0e8 || smallest < 1.0e-4;
    const NumberStyle plain = whole ? NumberStyle::whole : NumberStyle::fixed;
    return {is_scientific ? NumberStyle::scientific : plain, plain};
}

std::string number_text(float x, NumberStyle notation, int precision) {
    if (std::isnan(x)) {
        return "nan";  // Python never shows the sign of NaN
    }
    if (std::isinf(x)) {
        return x < 0.0F ? "-inf" : "inf";
    }
    const auto value = static_cast<double>(x);
    return notation == NumberStyle::whole   ? fmt::format(FMT_COMPILE("{:.0f}."), value)
           : notation == NumberStyle::fixed ? fmt::format(FMT_COMPILE("{:.{}f}"), value, precision)
                                            : fmt::format(FMT_COMPILE("{:.{}e}"), value, precision);
}

// Replaces a position where a summary has "...".
constexpr std::size_t left_out = std::numeric_limits<std::size_t>::max();

// The positions along an axis that are shown.
std::vector<std::size_t> shown_positions(std::size_t size, std::size_t edge_items) {
    std::vector<std::size_t> positions(std::min(size, 2 * edge_items + 1));
    std::iota(positions.begin(), positions.end(), std::size_t{0});
    if (size > 2 * edge_items) {
        const auto tail = std::span(positions).subspan(edge_items + 1);
        std::iota(tail.begin(), tail.end(), size - edge_items);
        positions[edge_items] = left_out;
    }
    return positions;
}

// The numbers and brackets of a tensor.
class Body {
public:
    Body(const Tensor& x, const PrintOptions& options) : x_(x), precision_(options.precision) {
        for (const std::size_t size : x.shape()) {
            positions_.push_back(
                shown_positions(size, x.count() > options.threshold ? options.edge_items : size));
        }
        std::vector<float> numbers;
        if (x.count() > 0) {
            collect(0, 0, numbers);
        }
        const Notations notations = choose_notation(numbers);
        notation_ = notations.usual;
        for (const float number : numbers) {
            // The column width does not depend on zeros, inf and nan, so these may be wider.
            if (std::isfinite(number) && number != 0.0F) {
                width_ = std::max(width_, text(number).size());
            }
        }
        if (!options.sci_mode) {  // as in PyTorch 2.6, columns keep the width of numbers with exponents
            notation_ = notations.without_exponents;
        }
        const std::size_t indent = opening.size() + x.rank() - 1;  // the opening brackets of the outer axes
        const std::size_t room = options.line_width - std::min(options.line_width, indent);
        cells_per_line_ = std::max<std::size_t>(1, room / (width_ + 2));
    }

    std::string text(float number) const { return number_text(number, notation_, precision_); }

    // Appends the part of the tensor at `place`, counted in row-major order along the axes before `axis`.
    void append_to(std::string& out, std::size_t axis = 0, std::size_t place = 0) const {
        if (axis == x_.rank()) {
            const std::string number = text(x_.values()[place]);
            out.append(width_ - std::min(width_, number.size()), ' ').append(number);
            return;
        }
        const bool innermost = axis + 1 == x_.rank();
        out += '[';
        for (std::size_t i = 0; i < positions_[axis].size(); ++i) {
            if (innermost && i % cells_per_line_ != 0) {
                out += ", ";
            } else if (i > 0) {  // between parts, each axis outside the rows adds a blank line
                out += ',';
                out.append(innermost ? 1 : x_.rank() - axis - 1, '\n').append(opening.size() + axis + 1, ' ');
            }
            const std::size_t position = positions_[axis][i];
            if (position == left_out) {
                out += innermost ? " ..." : "...";
            } else {
                append_to(out, axis + 1, place * x_.shape()[axis] + position);
            }
        }
        out += ']';
    }

private:
    void collect(std::size_t axis, std::size_t place, std::vector<float>& numbers) const {
        if (axis == x_.rank()) {
            numbers.push_back(x_.values()[place]);
            return;
        }
        for (const std::size_t position : positions_[axis]) {
            if (position != left_out) {
                collect(axis + 1, place * x_.shape()[axis] + position, numbers);
            }
        }
    }

    const Tensor& x_;
    int precision_;
    std::vector<std::vector<std::size_t>> positions_;  // the positions that are shown, along each axis
    NumberStyle notation_ = NumberStyle::fixed;
    std::size_t width_ = 1;
    std::size_t cells_per_line_ = 1;
};

// Adds the suffix to the last line if one column remains free after the closing bracket, otherwise as a new
// line.
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
    return [body = Body(x, options)](float number) { return body.text(number); };
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
