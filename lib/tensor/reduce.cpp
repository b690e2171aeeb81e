// Sums plain arrays in PyTorch's order: in vectors of 8 lanes, with four vectors side by side and four levels
// of partial sums.
#include "tensor/reduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>

#include "tensor/elementwise.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "tensor/strided.hpp"

namespace attn {

namespace {

constexpr std::size_t vector_lanes = 8;  // PyTorch's AVX2 build has 8 float32 lanes in a vector
constexpr std::size_t interleaved = 4;
constexpr std::size_t cascade_levels = 4;

// Adds `rows` rows of `Width` numbers into one row. Every 16 rows the running sums are added to the next
// level, so that the rounding error grows with the logarithm of the length. (For 2^20 rows and more, PyTorch
// uses longer intervals.)
template <std::size_t Width>
std::array<float, Width> cascade(const float* values, std::size_t rows) {
    std::array<std::array<float, Width>, cascade_levels> partial{};
    const auto add = [](std::array<float, Width>& sums, const float* row) {
        for (std::size_t lane = 0; lane < Width; ++lane) {
            sums[lane] += row[lane];
        }
    };
    for (std::size_t row = 1; row <= rows; ++row) {
        add(partial[0], values + (row - 1) * Width);
        for (std::size_t level = 1; level < cascade_levels && row % (1U << 4 * level) == 0; ++level) {
            add(partial[level], partial[level - 1].data());
            partial[level - 1].fill(0.0F);
        }
    }
    for (std::size_t level = 1; level < cascade_levels; ++level) {
        add(partial[0], partial[level].data());
    }
    return partial[0];
}

// Returns one sum per lane. `values` has rows of `Lanes` numbers, and four rows are added at a time.
template <std::size_t Lanes>
std::array<float, Lanes> lane_sums(const float* values, std::size_t rows) {
    const std::size_t groups = rows / interleaved;
    auto sums = cascade<Lanes * interleaved>(values, groups);
    for (std::size_t i = groups * sums.size(); i < rows * Lanes; ++i) {
        sums[i % Lanes] += values[i];
    }
    for (std::size_t i = Lanes; i < sums.size(); ++i) {
        sums[i % Lanes] += sums[i];
    }
    std::array<float, Lanes> total{};
    std::copy_n(sums.begin(), Lanes, total.begin());
    return total;
}

// Returns the sum of numbers that are adjacent in memory.
float sum_of(std::span<const float> values) {
    if (values.size() < vector_lanes) {
        return lane_sums<1>(values.data(), values.size())[0];
    }
    const std::size_t vectors = values.size() / vector_lanes;
    const auto lanes = lane_sums<vector_lanes>(values.data(), vectors);
    const auto rest = values.subspan(vectors * vector_lanes);
    return std::accumulate(lanes.begin(), lanes.end(), std::accumulate(rest.begin(), rest.end(), 0.0F));
}

// Returns the sum of one column of rows that are `width` numbers wide. PyTorch adds four vectors of columns
// at a time. If the row is shorter than a vector, it adds four columns at a time. The remaining columns are
// added one by one.
float sum_of_column(std::span<const float> values, std::size_t column, std::size_t width) {
    const std::size_t together = interleaved * (width < vector_lanes ? 1 : vector_lanes);
    return column < width / together * together ? cascade<1>(values.data(), values.size())[0]
                                                : lane_sums<1>(values.data(), values.size())[0];
}

float largest_of(std::span<const float> values) {
    float result = values[0];
    for (const float value : values) {
        result = value > result || std::isnan(value) ? value : result;
    }
    return result;
}

}  // namespace

Tensor sum(const Tensor& x) {
    return Tensor(Shape{}, {sum_of(x.values())});
}

Tensor sum(const Tensor& x, int dim, bool keepdim) {
    const std::size_t axis = x.shape().axis(dim, "sum");
    const std::size_t width = x.shape().around(axis).inner;
    return along(x, axis, keepdim, [&](std::span<const float> line, std::size_t column) {
        return width == 1 ? sum_of(line) : sum_of_column(line, column, width);
    });
}

Tensor sum_groups(const Tensor& x, std::size_t count, int dim) {
    const std::size_t axis = x.shape().axis(dim, "sum_groups");
    const auto [outer, length, inner] = x.shape().around(axis);
    Shape shape = x.shape();
    shape[axis] = length / count;
    return view(sum(view(x, {outer * shape[axis], count, inner}), 1), shape);
}

Tensor mean(const Tensor& x) {
    return div(sum(x), static_cast<double>(x.count()));
}

Tensor mean(const Tensor& x, int dim, bool keepdim) {
    const std::size_t axis = x.shape().axis(dim, "mean");
    return div(sum(x, dim, keepdim), static_cast<double>(x.shape()[axis]));
}

Tensor amax(const Tensor& x) {
    if (x.count() == 0) {
        throw Error("[amax] Expected at least one number but received {}.", x.shape().text());
    }
    return Tensor(Shape{}, {largest_of(x.values())});
}

Tensor amax(const Tensor& x, int dim, bool keepdim) {
    const std::size_t axis = x.shape().axis(dim, "amax");
    if (x.shape()[axis] == 0) {
        throw Error("[amax] Expected at least one number along axis {} but received {}.", dim,
                    x.shape().text());
    }
    return along(x, axis, keepdim, [](std::span<const float> line, std::size_t) { return largest_of(line); });
}

}  // namespace attn
