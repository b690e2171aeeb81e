// The ways operands of different rank reach the kernel.
#include "tensor/matmul.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tensor/error.hpp"
#include "tensor/product.hpp"
#include "tensor/threads.hpp"

namespace attn {

namespace {

constexpr std::size_t small_batched_product = 400;

// As product, but the products are rounded before they are added.
void rounded_product(const float* a, const float* b, float* c, const ProductSizes& sizes) {
    const auto [n, k, m] = sizes;
    for (std::size_t row = 0; row < n; ++row) {
        for (std::size_t inner = 0; inner < k; ++inner) {
            for (std::size_t column = 0; column < m; ++column) {
                c[row * m + column] += a[row * k + inner] * b[inner * m + column];
            }
        }
    }
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

    // The result keeps a's sizes but for the last, which becomes b's columns, or vanishes when b is one
    // column.
    std::array<std::size_t, Shape::max_rank> sizes{};
    std::copy(a.shape().begin(), a.shape().end(), sizes.begin());
    sizes[a.rank() - 1] = m;
    Tensor c(Shape(std::span(sizes.data(), a.rank() - (b_is_column ? 1 : 0))));

    const float* left = a.values().data();
    const float* right = b.values().data();
    float* result = c.values().data();
    if (!batched) {
        product(left, right, result, {k == 0 ? 0 : a.count() / k, k, m}, num_threads());
        return c;
    }
    const std::size_t n = a.size(-2);
    const std::size_t batches = n * m == 0 ? 0 : c.count() / (n * m);
    for (std::size_t batch = 0; batch < batches; ++batch) {
        const float* const one = left + batch * n * k;
        const float* const other = right + batch * k * m;
        float* const sums = result + batch * n * m;
        if (n * k * m < small_batched_product) {
            rounded_product(one, other, sums, {n, k, m});
        } else {
            product(one, other, sums, {n, k, m}, num_threads());
        }
    }
    return c;
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

}  // namespace attn
