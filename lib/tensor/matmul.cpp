// How operands of different rank reach the kernel, and how large products are divided among threads.
#include "tensor/matmul.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "tensor/error.hpp"
#include "tensor/levels.hpp"
#include "tensor/matmul_kernel.hpp"
#include "tensor/threads.hpp"

namespace attn {

namespace {

constexpr PerLevel<ProductKernel> kernels ATTN_PER_LEVEL(product);

// Multiply-adds below which packing b, or a second thread, costs more than it gains.
constexpr std::size_t least_packed_work = std::size_t{1} << 13U;
constexpr std::size_t least_threaded_work = std::size_t{1} << 21U;

void multiply(const Product& product) {
    const ProductKernel& kernel = kernels.at(level());
    const auto [a, b, c, n, k, m, transposed, bias] = product;
    if (n * k * m < least_packed_work) {
        kernel.loop(product);
        return;
    }
    const std::size_t panels = (m + kernel.columns - 1) / kernel.columns;
    const std::size_t blocks = (n + product_rows - 1) / product_rows;
    const std::size_t threads = n * k * m < least_threaded_work ? 1 : std::min(num_threads(), blocks);
    // One block of memory, because glibc returns to the system what exceeds twice the largest one.
    const std::size_t panel_size = kernel.columns * std::min(k, product_depth);
    const auto packed =
        std::make_unique_for_overwrite<float[]>(panels * panel_size + threads * product_scratch);
    float* const scratch = packed.get() + panels * panel_size;
    for (std::size_t done = 0; done < k; done += product_depth) {
        const std::size_t size = kernel.columns * std::min(k - done, product_depth);
        parallel_for(panels, threads, [&](std::size_t panel, std::size_t) {
            kernel.pack_panel(product, done, panel, packed.get() + panel * size);
        });
        parallel_for(blocks, threads, [&](std::size_t block, std::size_t thread) {
            kernel.add_terms(product, done, block * product_rows, packed.get(),
                             scratch + thread * product_scratch);
        });
    }
}

// As multiply, but the products are rounded before they are added.
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

// The shape with its last size replaced.
Shape with_last(const Shape& shape, std::size_t size) {
    Shape result = shape;
    result[shape.rank() - 1] = size;
    return result;
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
    // All rows at once, or those of one matrix after the other.
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

}  // namespace attn
