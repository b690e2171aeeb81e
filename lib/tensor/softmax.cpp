// Two orders of summation: along the last axis in 8 lanes (vec_softmax_lastdim), along any other one after
// the other.
#include "tensor/softmax.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "tensor/exp.hpp"
#include "tensor/expf.hpp"
#include "tensor/reduce.hpp"

namespace attn {

namespace {

constexpr std::size_t lanes = 8;

// Fewer than 8 numbers are added one after the other; from 8 on, lane by lane with the remainder in the first
// lanes, and the lanes folded in halves.
float lane_sum(std::span<const float> values) {
    if (values.size() < lanes) {
        float total = values[0];
        for (const float value : values.subspan(1)) {
            total += value;
        }
        return total;
    }
    std::array<float, lanes> sums{};
    std::copy_n(values.begin(), lanes, sums.begin());
    for (std::size_t i = lanes; i < values.size(); ++i) {
        sums[i % lanes] += values[i];
    }
    for (const std::size_t half : {4U, 2U, 1U}) {
        for (std::size_t lane = 0; lane < half; ++lane) {
            sums[lane] += sums[lane + half];
        }
    }
    return sums[0];
}

void softmax_row(std::span<const float> x, std::span<float> result) {
    const float max = maximum(x);
    std::transform(x.begin(), x.end(), result.begin(), [max](float value) { return exp(value - max); });
    const float reciprocal = 1.0F / lane_sum(result);
    for (float& value : result) {
        value *= reciprocal;
    }
}

// One line along the axis, gathered.
void softmax_line(std::span<float> line, float (*exp)(float)) {
    const float max = maximum(line);
    float total = 0.0F;
    for (float& value : line) {
        value = exp(value - max);
        total += value;
    }
    for (float& value : line) {
        value /= total;
    }
}

}  // namespace

Tensor softmax(const Tensor& x, int axis) {
    Tensor result(x.shape());
    const std::size_t length = x.size(axis);
    if (x.count() == 0) {
        return result;
    }
    std::size_t inner = 1;  // numbers between neighbours along the axis
    for (std::size_t after = x.shape().axis(axis) + 1; after < x.rank(); ++after) {
        inner *= x.shape()[after];
    }
    const std::size_t outer = x.count() / (length * inner);
    if (x.shape().axis(axis) + 1 == x.rank()) {
        for (std::size_t row = 0; row < outer; ++row) {
            softmax_row(x.values().subspan(row * length, length),
                        result.values().subspan(row * length, length));
        }
        return result;
    }
    std::vector<float> line(length);
    for (std::size_t i = 0; i < outer * inner; ++i) {
        const std::size_t start = i / inner * length * inner + i % inner;
        for (std::size_t j = 0; j < length; ++j) {
            line[j] = x.values()[start + j * inner];
        }
        // PyTorch takes the lines 8 at a time; those left over do not fill a vector.
        softmax_line(line, i % inner < inner / lanes * lanes ? exp : expf);
        for (std::size_t j = 0; j < length; ++j) {
            result.values()[start + j * inner] = line[j];
        }
    }
    return result;
}

}  // namespace attn
