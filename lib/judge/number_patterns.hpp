// Recognises tensors by their numbers: masks, sums of 1, multiples of each other.
#pragma once

#include <optional>
#include <span>

#include "tensor/tensor.hpp"

namespace attn {

// True if all numbers are 1, apart from rounding.
bool all_ones(const Tensor& x);

// True for numbers of a mask: 0, 1 and infinity.
bool is_binary(const Tensor& x);

// True for square masks that show each token some tokens around it: not those of the chapter.
bool is_window(const Tensor& x);

// y / x, if it is the same for all numbers that are neither masked nor small.
std::optional<double> common_factor(std::span<const float> y, std::span<const float> x);

}  // namespace attn
