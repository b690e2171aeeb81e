// Two orders of summation: along the last axis that of softmax_kernel.cpp, along any other one after the
// other.
#include "tensor/softmax.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "tensor/error.hpp"
#include "tensor/exp.hpp"
#include "tensor/kernels.hpp"
#include "tensor/layout.hpp"
#include "tensor/levels.hpp"
#include "tensor/strided.hpp"
#include "tensor/threads.hpp"

namespace attn {

namespace {

constexpr PerLevel<RowSoftmax> row_softmax ATTN_PER_LEVEL(softmax_rows);
constexpr PerLevel<RowSoftmaxBackward> row_softmax_backward ATTN_PER_LEVEL(softmax_backward_rows);
constexpr std::size_t lanes = 8;
constexpr std::size_t work_of_exp = 32;  // in multiply-adds

constexpr std::size_t parts = 32;

// 2^(i/32)
constexpr std::array<double, parts> powers{0x1.p+0,
                                           0x1.059b0d3158574p+0,
                                           0x1.0b5586cf9890fp+0,
                                           0x1.11301d0125b51p+0,
                                           0x1.172b83c7d517bp+0,
                                           0x1.1d4873168b9aap+0,
                                           0x1.2387a6e756238p+0,
                                           0x1.29e9df51fdee1p+0,
                                           0x1.306fe0a31b715p+0,
                                           0x1.371a7373aa9cbp+0,
                                           0x1.3dea64c123422p+0,
                                           0x1.44e086061892dp+0,
                                           0x1.4bfdad5362a27p+0,
                                           0x1.5342b569d4f82p+0,
                                           0x1.5ab07dd485429p+0,
                                           0x1.6247eb03a5585p+0,
                                           0x1.6a09e667f3bcdp+0,
                                           0x1.71f75e8ec5f74p+0,
                                           0x1.7a11473eb0187p+0,
                                           0x1.82589994cce13p+0,
                                           0x1.8ace5422aa0dbp+0,
                                           0x1.93737b0cdc5e5p+0,
                                           0x1.9c49182a3f090p+0,
                                           0x1.a5503b23e255dp+0,
                                           0x1.ae89f995ad3adp+0,
                                           0x1.b7f76f2fb5e47p+0,
                                           0x1.c199bdd85529cp+0,
                                           0x1.cb720dcef9069p+0,
                                           0x1.d5818dcfba487p+0,
                                           0x1.dfc97337b9b5fp+0,
                                           0x1.ea4afa2a490dap+0,
                                           0x1.f50765b6e4540p+0};

// exp of the C library, which PyTorch uses where too few numbers are left for a vector. For x ≤ 0, -inf or
// NaN it has the bits of glibc 2.28 and later, with any installed library. Transcribed from
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
    const auto whole = static_cast<int>(k);
    const double scale =
        std::ldexp(powers[static_cast<std::size_t>(whole) % parts], static_cast<int>(std::floor(k / parts)));
    return static_cast<float>(((c0 * r + c1) * (r * r) + (c2 * r + 1.0)) * scale);
}

// One line along another axis. PyTorch takes the lines 8 at a time; those left over do not fill a vector.
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
        divide_rows(outer, length * work_of_exp, num_threads(),
                    [&, length = length](std::size_t first, std::size_t rows) {
                        row_softmax.at(level())(x.values().data() + first * length,
                                                result.values().data() + first * length, rows, length);
                    });
        return result;
    }
    Tensor lines = strided(x, {outer, inner, length}, {length * inner, 1, inner});
    for (std::size_t i = 0; i < outer * inner; ++i) {
        softmax_line(lines.values().subspan(i * length, length), i % inner < inner / lanes * lanes);
    }
    return view(strided(lines, {outer, length, inner}, {length * inner, 1, length}), x.shape());
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
    divide_rows(
        grad.count() / length, length * work_of_exp, num_threads(), [&](std::size_t first, std::size_t rows) {
            const std::size_t from = first * length;
            row_softmax_backward.at(level())(grad.values().data() + from, output.values().data() + from,
                                             result.values().data() + from, rows, length);
        });
    return result;
}

}  // namespace attn
