// PyTorch's order of summation along the last axis (vec_softmax_lastdim, vec_softmax_backward_lastdim): in 8
// lanes, whatever the level's.
#include "tensor/softmax_kernel.hpp"

#include "tensor/exp.hpp"
#include "tensor/tile.hpp"

namespace attn {

namespace {

constexpr std::size_t sum_lanes = 8;

// The largest number, or −∞; a NaN is passed over.
float largest(const float* values, std::size_t count) {
    Floats most = Floats{} - __builtin_inff();
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        most = larger(load(values + i), most);
    }
    float result = most[0];
    for (std::size_t lane = 1; lane < lanes; ++lane) {
        result = most[lane] > result ? most[lane] : result;
    }
    for (; i < count; ++i) {
        result = values[i] > result ? values[i] : result;
    }
    return result;
}

// The lanes folded in halves.
float folded(float* sums) {
    for (std::size_t half = sum_lanes / 2; half > 0; half /= 2) {
        for (std::size_t lane = 0; lane < half; ++lane) {
            sums[lane] += sums[lane + half];
        }
    }
    return sums[0];
}

// Fewer than 8 numbers are added one after the other; from 8 on, lane by lane with the remainder in the first
// lanes.
float lane_sum(const float* values, std::size_t count) {
    if (count < sum_lanes) {
        float total = values[0];
        for (std::size_t i = 1; i < count; ++i) {
            total += values[i];
        }
        return total;
    }
    float sums[sum_lanes];
    for (std::size_t lane = 0; lane < sum_lanes; ++lane) {
        sums[lane] = values[lane];
    }
    std::size_t i = sum_lanes;
    for (; i + sum_lanes <= count; i += sum_lanes) {
        for (std::size_t lane = 0; lane < sum_lanes; ++lane) {
            sums[lane] += values[i + lane];
        }
    }
    for (std::size_t lane = 0; i + lane < count; ++lane) {
        sums[lane] += values[i + lane];
    }
    return folded(sums);
}

// The sum of a·b in the same order. Fewer than 8 products are rounded before they are added; from 8 on a lane
// rounds its first one and takes up each other with one fma.
float lane_dot(const float* a, const float* b, std::size_t count) {
    if (count < sum_lanes) {
        float total = a[0] * b[0];
        for (std::size_t i = 1; i < count; ++i) {
            total += a[i] * b[i];
        }
        return total;
    }
    float sums[sum_lanes];
    for (std::size_t lane = 0; lane < sum_lanes; ++lane) {
        sums[lane] = a[lane] * b[lane];
    }
    std::size_t i = sum_lanes;
    for (; i + sum_lanes <= count; i += sum_lanes) {
        for (std::size_t lane = 0; lane < sum_lanes; ++lane) {
            sums[lane] = __builtin_fmaf(a[i + lane], b[i + lane], sums[lane]);
        }
    }
    for (std::size_t lane = 0; i + lane < count; ++lane) {
        sums[lane] = __builtin_fmaf(a[i + lane], b[i + lane], sums[lane]);
    }
    return folded(sums);
}

// exp of all rows at once, so that lanes are full where rows are short.
void softmax_together(const float* x, float* result, std::size_t rows, std::size_t length) {
    for (std::size_t row = 0; row < rows; ++row) {
        const float* const from = x + row * length;
        const float max =
            largest(from, length);  // a NaN may be passed over: it makes its own exp NaN, and so the sum
        for (std::size_t i = 0; i < length; ++i) {
            result[row * length + i] = from[i] - max;
        }
    }
    std::size_t i = 0;
    for (; i + lanes <= rows * length; i += lanes) {
        store(exp_of_negative(load(result + i)), result + i);
    }
    for (; i < rows * length; ++i) {
        result[i] = exp(result[i]);
    }
    for (std::size_t row = 0; row < rows; ++row) {
        float* const weights = result + row * length;
        const float reciprocal = 1.0F / lane_sum(weights, length);
        for (i = 0; i < length; ++i) {
            weights[i] *= reciprocal;
        }
    }
}

void row_softmax(const float* x, float* result, std::size_t rows, std::size_t length) {
    constexpr std::size_t near = 1024;  // numbers that stay in the first cache
    const std::size_t together = length < near ? near / length : 1;
    for (std::size_t row = 0; row < rows; row += together) {
        softmax_together(x + row * length, result + row * length,
                         rows - row < together ? rows - row : together, length);
    }
}

void row_softmax_backward(const float* grad, const float* output, float* result, std::size_t rows,
                          std::size_t length) {
    for (std::size_t row = 0; row < rows; ++row) {
        const float total = lane_dot(grad, output, length);
        for (std::size_t i = 0; i < length; ++i) {
            result[i] = (grad[i] - total) * output[i];
        }
        grad += length;
        output += length;
        result += length;
    }
}

}  // namespace

namespace ATTN_LEVEL {

const RowSoftmax softmax_rows = row_softmax;
const RowSoftmaxBackward softmax_backward_rows = row_softmax_backward;

}  // namespace ATTN_LEVEL

}  // namespace attn
