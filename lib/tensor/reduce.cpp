// PyTorch's order of summation, on plain arrays: vectors of 8 lanes, four of them interleaved, four levels of
// partial sums.
#include "tensor/reduce.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"

namespace attn {

namespace {

constexpr std::size_t vector_lanes = 8;  // float32 lanes of the AVX2 build
constexpr std::size_t interleaved = 4;
constexpr std::size_t cascade_levels = 4;

// Adds up `rows` rows of `Width` numbers into one row. Every 2^power rows the running sums move up a level,
// so that the rounding error grows with the logarithm of the length.
template <std::size_t Width>
std::array<float, Width> cascade(const float* values, std::size_t rows) {
    std::array<std::array<float, Width>, cascade_levels> partial{};
    const auto add = [](std::array<float, Width>& sums, const float* row) {
        for (std::size_t lane = 0; lane < Width; ++lane) {
            sums[lane] += row[lane];
        }
    };
    const std::size_t power =
        std::max<std::size_t>(4, rows > 1 ? std::bit_width(rows - 1) / cascade_levels : 0);
    const std::size_t step = std::size_t{1} << power;
    std::size_t row = 0;
    while (row + step <= rows) {
        for (const std::size_t end = row + step; row < end; ++row) {
            add(partial[0], values + row * Width);
        }
        for (std::size_t level = 1; level < cascade_levels; ++level) {
            add(partial[level], partial[level - 1].data());
            partial[level - 1].fill(0.0F);
            if ((row & ((step - 1) << (level * power))) != 0) {
                break;
            }
        }
    }
    for (; row < rows; ++row) {
        add(partial[0], values + row * Width);
    }
    for (std::size_t level = 1; level < cascade_levels; ++level) {
        add(partial[0], partial[level].data());
    }
    return partial[0];
}

// One number per lane: rows of `Lanes` numbers, summed four interleaved rows at a time.
template <std::size_t Lanes>
std::array<float, Lanes> lane_sums(const float* values, std::size_t rows) {
    const std::size_t groups = rows / interleaved;
    auto sums = cascade<Lanes * interleaved>(values, groups);
    std::array<float, Lanes> total{};
    std::copy_n(sums.begin(), Lanes, total.begin());
    for (std::size_t row = groups * interleaved; row < rows; ++row) {
        for (std::size_t lane = 0; lane < Lanes; ++lane) {
            total[lane] += values[row * Lanes + lane];
        }
    }
    for (std::size_t part = 1; part < interleaved; ++part) {
        for (std::size_t lane = 0; lane < Lanes; ++lane) {
            total[lane] += sums[part * Lanes + lane];
        }
    }
    return total;
}

}  // namespace

float maximum(std::span<const float> values) {
    float result = values[0];
    for (const float value : values) {
        result = value > result || std::isnan(value) ? value : result;
    }
    return result;
}

float sum(std::span<const float> values) {
    if (values.size() < vector_lanes) {
        return lane_sums<1>(values.data(), values.size())[0];
    }
    const std::size_t vectors = values.size() / vector_lanes;
    const auto lanes = lane_sums<vector_lanes>(values.data(), vectors);
    float total = 0.0F;
    for (const float value : values.subspan(vectors * vector_lanes)) {
        total += value;
    }
    for (const float lane : lanes) {
        total += lane;
    }
    return total;
}

Tensor sum(const Tensor& x) {
    return Tensor(Shape{}, {sum(x.values())});
}

Tensor largest(const Tensor& x) {
    return Tensor(Shape{}, {maximum(x.values())});
}

Tensor row_maxima(const Tensor& x) {
    const std::size_t length = x.size(-1);
    Tensor result(Shape(std::span(x.shape().begin(), x.rank() - 1)));
    for (std::size_t row = 0; row < result.count(); ++row) {
        result.values()[row] = maximum(x.values().subspan(row * length, length));
    }
    return result;
}

Tensor row_means(const Tensor& x) {
    const Tensor sums = row_sums(x);
    return divide(view(sums, Shape(std::span(sums.shape().begin(), x.rank() - 1))),
                  static_cast<double>(x.size(-1)));
}

Tensor row_sums(const Tensor& x) {
    Shape shape = x.shape();
    const std::size_t length = x.size(-1);
    shape[shape.rank() - 1] = 1;
    Tensor result(shape);
    for (std::size_t row = 0; row < result.count(); ++row) {
        result.values()[row] = sum(x.values().subspan(row * length, length));
    }
    return result;
}

}  // namespace attn
