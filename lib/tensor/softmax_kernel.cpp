// Sums along the last axis in PyTorch's order (vec_softmax_lastdim, vec_softmax_backward_lastdim): in 8
// lanes, at every instruction set level.
#include "tensor/exp.hpp"
#include "tensor/kernels.hpp"
#include "tensor/tile.hpp"

namespace attn {

namespace {

constexpr std::size_t sum_lanes = 8;

// Returns the largest number, or −∞ if there is none. NaN is skipped.
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

// Calls add(sum, i) for each i below count. Fewer than 8 are added in order. Otherwise they are added in 8
// lanes, the remainder to the first lanes, and then the lanes are halved repeatedly. A sum begins with −0,
// which changes no number.
template <class Add>
float sum_in_lanes(std::size_t count, Add add) {
    float sums[sum_lanes];
    for (float& sum : sums) {
        sum = -0.0F;
    }
    std::size_t i = 0;
    for (; i + sum_lanes <= count; i += sum_lanes) {
        for (std::size_t lane = 0; lane < sum_lanes; ++lane) {
            sums[lane] = add(sums[lane], i + lane);
        }
    }
    for (; i < count; ++i) {
        float& sum = sums[count < sum_lanes ? 0 : i % sum_lanes];
        sum = add(sum, i);
    }
    for (std::size_t half = sum_lanes / 2; half > 0; half /= 2) {
        for (std::size_t lane = 0; lane < half; ++lane) {
            sums[lane] += sums[lane + half];
        }
    }
    return sums[0];
}

}  // namespace

void ATTN_LEVEL::softmax_rows(const float* x, float* result, std::size_t rows, std::size_t length) {
    for (std::size_t row = 0; row < rows; ++row, x += length, result += length) {
        const float max = largest(x, length);  // exp(NaN), and so the sum, is NaN
        std::size_t i = 0;
        for (; i + lanes <= length; i += lanes) {
            store(exp_of_negative<Integers>(load(x + i) - max), result + i);
        }
        for (; i < length; ++i) {
            result[i] = exp(x[i] - max);
        }
        const float reciprocal =
            1.0F / sum_in_lanes(length, [result](float sum, std::size_t at) { return sum + result[at]; });
        for (i = 0; i < length; ++i) {
            result[i] *= reciprocal;
        }
    }
}

void ATTN_LEVEL::softmax_backward_rows(const float* grad, const float* output, float* result,
                                       std::size_t rows, std::size_t length) {
    for (std::size_t row = 0; row < rows; ++row, grad += length, output += length, result += length) {
        // The products are rounded before they are added, as in PyTorch 2.6. In 2.14 and 1.13,
        // compilers fused some.
        const float total =
            sum_in_lanes(length, [=](float sum, std::size_t i) { return sum + grad[i] * output[i]; });
        for (std::size_t i = 0; i < length; ++i) {
            result[i] = (grad[i] - total) * output[i];
        }
    }
}

}  // namespace attn
