// The part of a tensor that an index selects, as x[i, :, 1:3].
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tensor/tensor.hpp"

namespace attn::flow {

struct IndexPart {
    enum class Kind { at, range, rest, new_axis, chosen } kind;
    std::optional<std::int64_t> from{}, to{}, step{};  // `at` uses `from`
    std::vector<std::size_t> chosen{};                 // of a list or mask of whole rows
};

// The shape of a part and the positions of its numbers.
struct Selected {
    Shape shape;
    std::vector<std::size_t> offsets;
};

// Throws Error if the index does not fit the shape.
Selected selected(const Shape& shape, const std::vector<IndexPart>& index);

Tensor part_of(const Tensor& x, const Selected& at);

// The numbers of a tensor as indices. Throws Error for negative numbers and fractions.
std::vector<std::size_t> indices_of(const Tensor& x);

}  // namespace attn::flow
