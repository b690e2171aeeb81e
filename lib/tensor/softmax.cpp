// Softmax along the last axis uses softmax_kernel.cpp. Along any other axis, it adds one number after
// another.
#include "tensor/softmax.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

#include "tensor/error.hpp"
#include "tensor/exp.hpp"
#include "tensor/kernels.hpp"
#include "tensor/layout.hpp"
#include "tensor/strided.hpp"
#include "tensor/threads.hpp"

namespace attn {

namespace {

constexpr std::size_t parts = 32;

// The bits of 2^(i/32) minus i << 47; this is added again together with the exponent.
constexpr std::array<std::uint64_t, parts> powers{
    0x3ff0000000000000, 0x3fefd9b0d3158574, 0x3fefb5586cf9890f, 0x3fef9301d0125b51, 0x3fef72b83c7d517b,
    0x3fef54873168b9aa, 0x3fef387a6e756238, 0x3fef1e9df51fdee1, 0x3fef06fe0a31b715, 0x3feef1a7373aa9cb,
    0x3feedea64c123422, 0x3feece086061892d, 0x3feebfdad5362a27, 0x3feeb42b569d4f82, 0x3feeab07dd485429,
    0x3feea47eb03a5585, 0x3feea09e667f3bcd, 0x3fee9f75e8ec5f74, 0x3feea11473eb0187, 0x3feea589994cce13,
    0x3feeace5422aa0db, 0x3feeb737b0cdc5e5, 0x3feec49182a3f090, 0x3feed503b23e255d, 0x3feee89f995ad3ad,
    0x3feeff76f2fb5e47, 0x3fef199bdd85529c, 0x3fef3720dcef9069, 0x3fef5818dcfba487, 0x3fef7c97337b9b5f,
    0x3fefa4afa2a490da, 0x3fefd0765b6e4540};

// The C library's exp, which PyTorch uses for the numbers that do not fill a vector. For x ≤ 0, -inf and NaN,
// the bits are those of glibc 2.28 and later, whatever C library is installed. Transcribed from
// sysdeps/ieee754/flt-32/e_expf.c: x = (32·n + i)·ln 2/32 + r, and a cubic in r, all in double.
float expf(float x) {
    if (!(x >= -103.97208404541015625F)) {
        return std::isnan(x) ? x : 0.0F;
    }
    constexpr double c0 = 0x1.c6af84b912394p-5 / parts / parts / parts;
    constexpr double c1 = 0x1.ebfce50fac4f3p-3 / parts / parts;
    constexpr double c2 = 0x1.62e42ff0c52d6p-1 / parts;
    const double z = 0x1.71547652b82fep+0 * parts * static_cast<double>(x);
    const double k = std::nearbyint(z);
    const double r = z - k;
    const auto whole = static_cast<std::uint64_t>(static_cast<std::int64_t>(k));
    const auto scale = std::bit_cast<double>(powers[whole % parts] + (whole << 47U));
    return static_cast<float>(((c0 * r + c1) * (r * r) + (c2 * r + 1.0)) * scale);
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
        constexpr std::size_t work_of_exp = 32;  // the time of one exp, in multiply-adds
        divide_rows(outer, length * work_of_exp, num_threads(),
                    [&, length = length](std::size_t first, std::size_t rows) {
                        ATTN_KERNEL(level(), softmax_rows)
                        (x.values().data() + first * length, result.values().data() + first * length, rows,
                         length);
                    });
        return result;
    }
    // Along any axis but the last, PyTorch processes 8 lines at a time. The remaining lines do not fill a
    // vector.
    constexpr std::size_t lanes = 8;
    Tensor lines = strided(x, {outer, inner, length}, {length * inner, 1, inner});
    for (std::size_t i = 0; i < outer * inner; ++i) {
        const auto line = lines.values().subspan(i * length, length);
        // The maximum skips NaN; exp(NaN) and so the sum are NaN anyway.
        const float max = *std::max_element(line.begin(), line.end());
        float total = 0.0F;
        for (float& value : line) {
            value = i % inner < inner / lanes * lanes ? exp(value - max) : expf(value - max);
            total += value;
        }
        for (float& value : line) {
            value /= total;
        }
    }
    return view(strided(lines, {outer, length, inner}, {length * inner, 1, length}), x.shape());
}

Tensor softmax_backward(const Tensor& grad, const Tensor& output) {
    if (grad.shape() != output.shape()) {
        throw Error("[softmax_backward] Expected two tensors of one shape but received {} and {}.",
                    grad.shape().text(), output.shape().text());
    }
    Tensor result(grad.shape());
    if (grad.count() > 0) {
        const std::size_t length = grad.size(-1);
        ATTN_KERNEL(level(), softmax_backward_rows)
        (grad.values().data(), output.values().data(), result.values().data(), grad.count() / length, length);
    }
    return result;
}

}  // namespace attn
