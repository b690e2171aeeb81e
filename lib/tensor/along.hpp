// A number for each line of numbers along an axis; for the sources of this folder.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tensor/tensor.hpp"

namespace attn {

// (…, m, …) → (…, …), or (…, 1, …) with keepdim: function(line, i), where the line holds m numbers and is the
// i-th of those that lie side by side.
template <typename Function>
Tensor along(const Tensor& x, std::size_t axis, bool keepdim, Function function) {
    const auto [outer, length, inner] = x.shape().around(axis);
    std::vector<std::size_t> sizes(x.shape().begin(), x.shape().end());
    const auto size = sizes.begin() + static_cast<std::ptrdiff_t>(axis);
    if (keepdim) {
        *size = 1;
    } else {
        sizes.erase(size);
    }
    Tensor result((Shape(sizes)));
    std::vector<float> line(length);
    for (std::size_t i = 0; i < outer * inner; ++i) {
        for (std::size_t j = 0; j < length; ++j) {
            line[j] = x.values()[(i / inner * length + j) * inner + i % inner];
        }
        result.values()[i] = function(std::span<const float>(line), i % inner);
    }
    return result;
}

}  // namespace attn
