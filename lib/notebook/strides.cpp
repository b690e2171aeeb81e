// Strides from the recorded calls: only views have others than row by row.
#include "notebook/strides.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <utility>

#include "notebook/rows.hpp"
#include "tensor/error.hpp"

namespace attn {

namespace {

using Strides = std::vector<std::size_t>;

Strides row_major(const Shape& shape) {
    Strides strides(shape.rank(), 1);
    for (std::size_t axis = shape.rank(); axis-- > 1;) {
        strides[axis - 1] = strides[axis] * shape[axis];
    }
    return strides;
}

// How a new shape steps through memory that the old one reads in order: axes that follow on from each other
// make a run, and each run is cut anew. Nothing when a new axis would have to cross from run to run.
// computeStride of aten/src/ATen/TensorUtils.cpp
std::optional<Strides> viewed(const Shape& shape, const Strides& strides, const Shape& wanted) {
    Strides result(wanted.rank(), 1);
    std::size_t left = wanted.rank();  // axes still without a stride
    std::size_t run = 1;               // numbers in the run so far
    for (std::size_t axis = shape.rank(), step = axis == 0 ? 1 : strides[axis - 1]; axis-- > 0;) {
        run *= shape[axis];
        if (axis > 0 && (shape[axis - 1] == 1 || strides[axis - 1] == run * step)) {
            continue;
        }
        std::size_t covered = 1;
        while (left > 0 && (covered < run || wanted[left - 1] == 1)) {
            result[--left] = covered * step;
            covered *= wanted[left];
        }
        if (covered != run) {
            return std::nullopt;
        }
        run = 1;
        step = axis > 0 ? strides[axis - 1] : 1;
    }
    return result;
}

// Whether a call only looks at the memory of its first operand.
bool is_view(const Call& call) {
    for (const Operation* view : {&rows::alias, &rows::matrix_transpose, &rows::transpose, &rows::swap_axes,
                                  &rows::view, &rows::select, &rows::slice, &rows::corner}) {
        if (call.operation == view) {
            return true;
        }
    }
    return call.operation == &rows::contiguous && call.integer("copies") == 0;
}

}  // namespace

std::vector<std::size_t> strides(const Notebook& notebook, std::size_t id) {
    const Node& node = notebook.nodes()[id];
    if (!is_view(node.call)) {
        return row_major(node.value.shape());
    }
    const std::size_t source = node.call.inputs[0];
    const Shape& shape = notebook.nodes()[source].value.shape();
    Strides result = strides(notebook, source);
    if (node.call.operation == &rows::matrix_transpose) {
        std::swap(result[0], result[1]);
    } else if (node.call.operation == &rows::transpose || node.call.operation == &rows::swap_axes) {
        std::swap(result[shape.axis(node.call.integer("dim0"))],
                  result[shape.axis(node.call.integer("dim1"))]);
    } else if (node.call.operation == &rows::select) {
        const auto chosen = static_cast<std::ptrdiff_t>(node.call.numbers("index").size());
        result.erase(result.begin(), result.begin() + chosen);
    } else if (node.call.operation == &rows::view) {
        const std::optional<Strides> found = viewed(shape, result, node.value.shape());
        if (!found) {
            throw Error(
                fmt::format("[view] Expected a size that strides ({}) of {} allow but received {}; "
                            "contiguous() would make room for it.",
                            fmt::join(result, ", "), shape.text(), node.value.shape().text()));
        }
        result = *found;
    }
    return result;
}

bool is_row_major(const Shape& shape, const std::vector<std::size_t>& strides) {
    std::size_t expected = 1;
    for (std::size_t axis = shape.rank(); axis-- > 0;) {
        if (shape[axis] != 1 && strides[axis] != expected) {
            return false;
        }
        expected *= shape[axis];
    }
    return true;
}

std::size_t memory_of(const Notebook& notebook, std::size_t node) {
    const Call& call = notebook.nodes()[node].call;
    return is_view(call) ? memory_of(notebook, call.inputs[0]) : node;
}

}  // namespace attn
