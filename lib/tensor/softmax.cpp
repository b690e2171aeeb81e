// Two orders of summation: along the last axis that of softmax_kernel.cpp, along any other one after the
// other.
#include "tensor/softmax.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "tensor/error.hpp"
#include "tensor/exp.hpp"
#include "tensor/expf.hpp"
#include "tensor/levels.hpp"
#include "tensor/softmax_kernel.hpp"
#include "tensor/threads.hpp"

namespace attn {

namespace {

constexpr PerLevel<RowSoftmax> row_softmax ATTN_PER_LEVEL(softmax_rows);
constexpr PerLevel<RowSoftmaxBackward> row_softmax_backward ATTN_PER_LEVEL(softmax_backward_rows);
constexpr std::size_t lanes = 8;
constexpr std::size_t least_threaded_count = std::size_t{1}
                                             << 16U;  // below it a thread costs more than it gains

// function(first, count) for all rows; those of a large tensor are shared out among threads.
template <typename Function>
void share_rows(std::size_t rows, std::size_t length, Function function) {
    const std::size_t threads = rows * length < least_threaded_count ? 1 : num_threads();
    const std::size_t share = threads == 1 ? rows : (rows + 8 * threads - 1) / (8 * threads);
    parallel_for((rows + share - 1) / share, threads,
                 [&](std::size_t i, std::size_t) { function(i * share, std::min(rows - i * share, share)); });
}

// One line along the axis, gathered. PyTorch takes the lines 8 at a time; those left over do not fill a
// vector.
void softmax_line(std::span<float> line, bool in_vector) {
    // A NaN that is passed over makes its own exp NaN, and so the sum.
    const float max = *std::max_element(line.begin(), line.end());
    float total = 0.0F;
    for (float& value : line) {
        value = in_vector ? exp(value - max) : expf(value - max);
        total += value;
    }
    for (float& value : line) {
        value /= total;
    }
}

}  // namespace

Tensor softmax(const Tensor& x, int dim) {
    Tensor result(x.shape());
    const std::size_t axis = x.shape().axis(dim, "softmax");
    if (x.count() == 0) {
        return result;
    }
    const auto [outer, length, inner] = x.shape().around(axis);
    if (axis + 1 == x.rank()) {
        share_rows(outer, length, [&, length = length](std::size_t first, std::size_t rows) {
            row_softmax.at(level())(x.values().data() + first * length,
                                    result.values().data() + first * length, rows, length);
        });
        return result;
    }
    std::vector<float> line(length);
    for (std::size_t i = 0; i < outer * inner; ++i) {
        const std::size_t start = i / inner * length * inner + i % inner;
        for (std::size_t j = 0; j < length; ++j) {
            line[j] = x.values()[start + j * inner];
        }
        softmax_line(line, i % inner < inner / lanes * lanes);
        for (std::size_t j = 0; j < length; ++j) {
            result.values()[start + j * inner] = line[j];
        }
    }
    return result;
}

Tensor softmax_backward(const Tensor& grad, const Tensor& output) {
    if (grad.shape() != output.shape()) {
        throw Error("[softmax_backward] Expected two tensors of one shape but received {} and {}.",
                    grad.shape().text(), output.shape().text());
    }
    Tensor result(grad.shape());
    if (grad.count() == 0) {
        return result;
    }
    const std::size_t length = grad.size(-1);
    share_rows(grad.count() / length, length, [&](std::size_t first, std::size_t rows) {
        const std::size_t from = first * length;
        row_softmax_backward.at(level())(grad.values().data() + from, output.values().data() + from,
                                         result.values().data() + from, rows, length);
    });
    return result;
}

}  // namespace attn
