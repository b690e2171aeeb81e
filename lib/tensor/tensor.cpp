// Shapes, indices and the checks of a tensor's constructor.
#include "tensor/tensor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#include "tensor/error.hpp"

namespace attn {

namespace {

// 1 GiB of float32, which is far more than any lesson needs, and so little that machines do not swap.
constexpr std::size_t max_count = std::size_t{1} << 28;
thread_local std::size_t limit_of_numbers = max_count;

}  // namespace

Shape::Shape(std::initializer_list<std::size_t> sizes) : Shape(std::span(sizes.begin(), sizes.size())) {}

Shape::Shape(std::span<const std::size_t> sizes) : rank_(sizes.size()) {
    if (rank_ > max_rank) {
        throw Error("[shape] Expected at most {} dimensions but received {}.", max_rank, rank_);
    }
    std::copy(sizes.begin(), sizes.end(), sizes_.begin());
}

std::size_t Shape::count() const {
    std::size_t count = 1;
    for (const std::size_t size : *this) {
        if (count != 0 && (size > limit_of_numbers || count * size > limit_of_numbers)) {
            throw Error("[tensor] A tensor of shape {} is too large; a tensor can have at most {} numbers.",
                        text(), limit_of_numbers);
        }
        count *= size;
    }
    return count;
}

std::size_t Shape::axis(int index, std::string_view operation) const {
    const int from_front = index < 0 ? index + static_cast<int>(rank_) : index;
    if (from_front < 0 || from_front >= static_cast<int>(rank_)) {
        throw Error("[{}] Expected an axis of {} but received {}.", operation, text(), index);
    }
    return static_cast<std::size_t>(from_front);
}

Shape::Around Shape::around(std::size_t axis) const {
    Around result{1, sizes_[axis], 1};
    for (std::size_t other = 0; other < rank_; ++other) {
        (other < axis ? result.outer : result.inner) *= other == axis ? 1 : sizes_[other];
    }
    return result;
}

std::string Shape::text() const {
    return fmt::format("({}{})", fmt::join(*this, ", "), rank_ == 1 ? "," : "");
}

TensorLimit::TensorLimit(std::size_t most) : before_(std::exchange(limit_of_numbers, most)) {}

TensorLimit::~TensorLimit() {
    limit_of_numbers = before_;
}

Tensor::Tensor(const Shape& shape, std::vector<float> values) : shape_(shape), values_(std::move(values)) {
    if (values_.size() != shape_.count()) {
        throw Error("[tensor] Expected {} numbers for shape {} but received {}.", shape_.count(),
                    shape_.text(), values_.size());
    }
}

float Tensor::at(const Index& index) const {
    for (std::size_t axis = 0; axis < rank(); ++axis) {
        if (index[axis] >= shape_[axis]) {
            throw Error("[at] Expected an index within {} but received {} for axis {}.", shape_.text(),
                        index[axis], axis);
        }
    }
    return values_[offset(index)];
}

std::size_t Tensor::offset(const Index& index) const {
    std::size_t offset = 0;
    for (std::size_t axis = 0; axis < rank(); ++axis) {
        offset = offset * shape_[axis] + index[axis];
    }
    return offset;
}

Index Tensor::index(std::size_t offset) const {
    Index index{};
    for (std::size_t axis = rank(); axis-- > 0;) {
        index[axis] = offset % shape_[axis];
        offset /= shape_[axis];
    }
    return index;
}

bool identical(const Tensor& a, const Tensor& b) {
    return a.shape() == b.shape() && std::ranges::equal(a.values(), b.values(), [](float x, float y) {
               return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y) ||
                      (std::isnan(x) && std::isnan(y));
           });
}

}  // namespace attn
