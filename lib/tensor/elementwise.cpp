// Implements broadcasting once, for all operations on two tensors.
#include "tensor/elementwise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "tensor/error.hpp"
#include "tensor/exp.hpp"
#include "tensor/strided.hpp"

namespace attn {

namespace {

// Returns the size of an axis; 0 is the last axis. Missing axes have size 1.
std::size_t size_from_back(const Shape& shape, std::size_t back) {
    return back < shape.rank() ? shape[shape.rank() - 1 - back] : 1;
}

Shape broadcast_shape(std::string_view name, const Shape& a, const Shape& b) {
    Shape result = a.rank() >= b.rank() ? a : b;
    for (std::size_t back = 0; back < result.rank(); ++back) {
        const std::size_t x = size_from_back(a, back);
        const std::size_t y = size_from_back(b, back);
        if (x != y && x != 1 && y != 1) {
            throw Error("[{}] Expected shapes that broadcast but received {} and {}.", name, a.text(),
                        b.text());
        }
        result[result.rank() - 1 - back] = x == 1 ? y : x;
    }
    return result;
}

template <typename Function>
Tensor zip(std::string_view name, const Tensor& a, const Tensor& b, Function function) {
    const Shape shape = broadcast_shape(name, a.shape(), b.shape());
    Tensor result = expand(a, shape);
    const Tensor other = expand(b, shape);
    std::ranges::transform(result.values(), other.values(), result.values().begin(), function);
    return result;
}

}  // namespace

Index broadcast_index(const Shape& operand, const Shape& result, const Index& index) {
    Index in_operand{};
    for (std::size_t axis = 0; axis < operand.rank(); ++axis) {
        in_operand[axis] = operand[axis] == 1 ? 0 : index[axis + result.rank() - operand.rank()];
    }
    return in_operand;
}

Tensor add(const Tensor& a, const Tensor& b) {
    return zip("add", a, b, [](float x, float y) { return x + y; });
}

Tensor sub(const Tensor& a, const Tensor& b) {
    return zip("sub", a, b, [](float x, float y) { return x - y; });
}

Tensor sub(const Tensor& a, const Tensor& b, double alpha) {
    if (a.shape() != b.shape()) {
        throw Error("[sub] Expected two tensors of one shape but received {} and {}.", a.shape().text(),
                    b.shape().text());
    }
    const auto factor = static_cast<float>(-alpha);
    return zip("sub", a, b, [factor](float x, float y) { return std::fma(factor, y, x); });
}

Tensor mul(const Tensor& a, const Tensor& b) {
    return zip("mul", a, b, [](float x, float y) { return x * y; });
}

Tensor div(const Tensor& a, const Tensor& b) {
    return zip("div", a, b, [](float x, float y) { return x / y; });
}

Tensor maximum(const Tensor& a, const Tensor& b) {
    // If the operands are 0 and −0, this returns the first. So does PyTorch for fewer than 16 numbers; for
    // more, it returns the second.
    return zip("maximum", a, b, [](float x, float y) { return x >= y || std::isnan(x) ? x : y; });
}

Tensor div(const Tensor& x, double by) {
    return map(x, [by = static_cast<float>(by)](float value) { return value / by; });
}

Tensor mul(const Tensor& x, double by) {
    return map(x, [by = static_cast<float>(by)](float value) { return value * by; });
}

Tensor abs(const Tensor& x) {
    return map(x, [](float value) { return std::fabs(value); });
}

Tensor sqrt(const Tensor& x) {
    return map(x, [](float value) { return std::sqrt(value); });
}

Tensor eq(const Tensor& x, float other) {
    return map(x, [other](float value) { return value == other ? 1.0F : 0.0F; });
}

Tensor exp(const Tensor& x) {
    return map(x, [](float value) { return exp(value); });
}

Tensor ne(const Tensor& x, float other) {
    return map(x, [other](float value) { return value != other ? 1.0F : 0.0F; });
}

Tensor le(const Tensor& a, const Tensor& b) {
    return zip("le", a, b, [](float x, float y) { return x <= y ? 1.0F : 0.0F; });
}

Tensor masked_fill(const Tensor& x, const Tensor& mask, float value) {
    if (broadcast_shape("masked_fill", x.shape(), mask.shape()) != x.shape()) {
        throw Error("[masked_fill] Expected a mask that broadcasts to {} but received {}.", x.shape().text(),
                    mask.shape().text());
    }
    return zip("masked_fill", x, mask,
               [value](float number, float masked) { return masked != 0.0F ? value : number; });
}

}  // namespace attn
