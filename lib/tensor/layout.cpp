// Triangles and transposition.
#include "tensor/layout.hpp"

#include <fmt/format.h>

#include <utility>

#include "tensor/error.hpp"

namespace attn {

namespace {

template <typename Keep>
Tensor triangle(const char* name, const Tensor& x, Keep keep) {
    if (x.rank() < 2) {
        throw Error(
            fmt::format("[{}] Expected at least 2 dimensions but received {}.", name, x.shape().text()));
    }
    Tensor result = x;
    const std::size_t rows = x.size(-2);
    const std::size_t columns = x.size(-1);
    for (std::size_t i = 0; i < result.count(); ++i) {
        const auto row = static_cast<std::ptrdiff_t>(i / columns % rows);
        const auto column = static_cast<std::ptrdiff_t>(i % columns);
        if (!keep(row, column)) {
            result.values()[i] = 0.0F;
        }
    }
    return result;
}

}  // namespace

Tensor full(const Shape& shape, float value) {
    return Tensor(shape, std::vector<float>(shape.count(), value));
}

Tensor ones(const Shape& shape) {
    return full(shape, 1.0F);
}

Tensor tril(const Tensor& x, int diagonal) {
    return triangle("tril", x, [diagonal](auto row, auto column) { return column <= row + diagonal; });
}

Tensor triu(const Tensor& x, int diagonal) {
    return triangle("triu", x, [diagonal](auto row, auto column) { return column >= row + diagonal; });
}

Tensor transpose(const Tensor& x, int a, int b) {
    const std::size_t first = x.shape().axis(a);
    const std::size_t second = x.shape().axis(b);
    Shape shape = x.shape();
    std::swap(shape[first], shape[second]);
    Tensor result(shape);
    for (std::size_t i = 0; i < result.count(); ++i) {
        Index index = result.index(i);
        std::swap(index[first], index[second]);
        result.values()[i] = x.at(index);
    }
    return result;
}

}  // namespace attn
