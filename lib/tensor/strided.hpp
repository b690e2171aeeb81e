// Building blocks for the sources of this folder. Strided reads move, slice, repeat and broadcast numbers;
// other functions are applied to each number or each line.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "tensor/tensor.hpp"

namespace attn {

// The distance in memory between neighbours along each axis; with 0, a number is repeated.
using Strides = std::array<std::size_t, Shape::max_rank>;

// Returns a copy of torch.as_strided(x, shape, strides, start): the number at (i, j, …) is x.values()[start +
// i · strides[0] + j · strides[1] + …].
Tensor strided(const Tensor& x, const Shape& shape, const Strides& strides, std::size_t start = 0);

// Returns the strides of a row-major tensor.
Strides strides_of(const Shape& shape);

// Repeats x along the axes that x lacks, or where its size is 1.
Tensor expand(const Tensor& x, const Shape& shape);

// Applies a function to each number.
template <typename Function>
Tensor map(const Tensor& x, Function function) {
    Tensor result(x.shape());
    std::ranges::transform(x.values(), result.values().begin(), function);
    return result;
}

// (…, m, …) → (…, …), or (…, 1, …) with keepdim. Calls function(line, i) for each line of m numbers; i is
// the index on the axes after `axis`.
template <typename Function>
Tensor along(const Tensor& x, std::size_t axis, bool keepdim, Function function) {
    const auto [outer, length, inner] = x.shape().around(axis);
    const Tensor lines = strided(x, {outer, inner, length}, {length * inner, 1, inner});
    std::vector<std::size_t> sizes(x.shape().begin(), x.shape().end());
    sizes[axis] = 1;
    if (!keepdim) {
        sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(axis));
    }
    Tensor result((Shape(sizes)));
    for (std::size_t i = 0; i < outer * inner; ++i) {
        result.values()[i] = function(lines.values().subspan(i * length, length), i % inner);
    }
    return result;
}

}  // namespace attn
