// Passes operands of any rank to the product kernel, and divides large products among threads.
#include "tensor/matmul.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "tensor/error.hpp"
#include "tensor/kernels.hpp"
#include "tensor/threads.hpp"

namespace attn {

namespace {

void multiply(const Product& all) {
    divide_rows(all.n, all.k * all.m, num_threads(), [&](std::size_t first, std::size_t count) {
        Product part = all;
        part.a += first * all.k;
        part.c += first * all.m;
        part.n = count;
        ATTN_KERNEL(level(), multiply)
        (part, std::make_unique_for_overwrite<float[]>(panels_size(part)).get());
    });
}

// As multiply(), but each product is rounded before it is added.
void multiply_rounded(const Product& product) {
    const auto [a, b, c, n, k, m, transposed, bias] = product;
    for (std::size_t row = 0; row < n; ++row) {
        for (std::size_t term = 0; term < k; ++term) {
            for (std::size_t column = 0; column < m; ++column) {
                c[row * m + column] += a[row * k + term] * b[term * m + column];
            }
        }
    }
}

// Returns the shape with its last size replaced.
Shape with_last(const Shape& shape, std::size_t size) {
    Shape result = shape;
    result[shape.rank() - 1] = size;
    return result;
}

Tensor draw(Generator& generator, const Shape& shape, std::size_t d_in) {
    return uniform(generator, shape, -Linear::bound(d_in), Linear::bound(d_in));
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b) {
    const auto mismatch = [&](const char* expected) {
        return Error(fmt::format("[matmul] Expected {} but received {} and {}.", expected, a.shape().text(),
                                 b.shape().text()));
    };
    if (a.rank() == 0 || b.rank() == 0) {
        throw mismatch("at least one dimension on each side");
    }
    const std::size_t k = a.size(-1);
    const bool b_is_column = b.rank() == 1;
    if ((b_is_column ? b.size(0) : b.size(-2)) != k) {
        throw mismatch("equal inner sizes");
    }
    const std::size_t m = b_is_column ? 1 : b.size(-1);
    const bool batched = b.rank() > 2;
    if (batched &&
        (a.rank() != b.rank() || !std::equal(b.shape().begin(), b.shape().end() - 2, a.shape().begin()))) {
        throw mismatch("equal leading sizes");
    }
    Tensor c(b_is_column ? Shape(std::span(a.shape().begin(), a.rank() - 1)) : with_last(a.shape(), m));
    if (c.count() == 0) {
        return c;
    }
    // Multiplies all rows at once if the right operand is one matrix, otherwise matrix by matrix.
    const std::size_t n = batched ? a.size(-2) : c.count() / m;
    const bool is_small = batched && n * k * m < 400;
    for (std::size_t batch = 0; batch < c.count() / (n * m); ++batch) {
        (is_small ? multiply_rounded
                  : multiply)({a.values().data() + batch * n * k, b.values().data() + batch * k * m,
                               c.values().data() + batch * n * m, n, k, m});
    }
    return c;
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor* bias) {
    const std::size_t k = weight.size(1);
    if (x.rank() == 0 || x.size(-1) != k) {
        throw Error("[Linear] Expected (…, {}) but received {}.", k, x.shape().text());
    }
    const std::size_t m = weight.size(0);
    Tensor result(with_last(x.shape(), m));
    multiply({.a = x.values().data(),
              .b = weight.values().data(),
              .c = result.values().data(),
              .n = m == 0 ? 0 : result.count() / m,
              .k = k,
              .m = m,
              .transposed = true,
              .bias = bias != nullptr ? bias->values().data() : nullptr});
    return result;
}

Tensor dot(const Tensor& a, const Tensor& b) {
    if (a.rank() != 1 || a.shape() != b.shape()) {
        throw Error("[dot] Expected two vectors of one length but received {} and {}.", a.shape().text(),
                    b.shape().text());
    }
    double sum = 0.0;
    for (std::size_t i = 0; i < a.count(); ++i) {
        sum += static_cast<double>(a.values()[i] * b.values()[i]);
    }
    return Tensor(Shape{}, {static_cast<float>(sum)});
}

float Linear::bound(std::size_t d_in) {
    return d_in == 0 ? 0.0F : static_cast<float>(1.0 / std::sqrt(static_cast<double>(d_in)));
}

// The layer's members are drawn in the order in which they are declared.
Linear::Linear(Generator& generator, std::size_t d_in, std::size_t d_out, bool bias)
    : weight_(draw(generator, {d_out, d_in}, d_in)),
      bias_(bias ? std::optional(draw(generator, {d_out}, d_in)) : std::nullopt) {}

Linear::Linear(Tensor weight, std::optional<Tensor> bias)
    : weight_(std::move(weight)), bias_(std::move(bias)) {
    if (weight_.rank() != 2 || (bias_ && bias_->shape() != Shape{weight_.shape()[0]})) {
        throw Error("[Linear] Expected a weight (d_out, d_in) and a bias (d_out,) but received {} and {}.",
                    weight_.shape().text(), bias_ ? bias_->shape().text() : "no bias");
    }
}

Tensor Linear::operator()(const Tensor& x) const {
    return linear(x, weight_, bias_ ? &*bias_ : nullptr);
}

}  // namespace attn
