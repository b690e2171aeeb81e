// A dense tensor of float32, row-major, of rank 0 to 4. It owns its numbers; what is computed with them lives
// in the other headers of this folder.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attn {

// The sizes of a tensor's dimensions, outermost first; rank 0 is a single number.
class Shape {
public:
    static constexpr std::size_t max_rank = 4;

    // Throw Error when there are more than four.
    Shape() = default;
    Shape(std::initializer_list<std::size_t> sizes);
    explicit Shape(std::span<const std::size_t> sizes);

    std::size_t rank() const { return rank_; }
    // axis < max_rank; sizes beyond the rank are 0.
    std::size_t operator[](std::size_t axis) const { return sizes_[axis]; }
    std::size_t& operator[](std::size_t axis) { return sizes_[axis]; }
    const std::size_t* begin() const { return sizes_.data(); }
    const std::size_t* end() const { return sizes_.data() + rank_; }
    bool operator==(const Shape&) const = default;

    // How many numbers a tensor of this shape holds. Throws Error when one tensor may not hold that many
    // (2^28, 1 GiB).
    std::size_t count() const;

    // -1 is the last axis, as in PyTorch. Throws Error, in the name of the operation that asks, when there is
    // no such axis.
    std::size_t axis(int index, std::string_view operation = "shape") const;

    // An axis, and how many numbers the axes before and after it count to.
    struct Around {
        std::size_t outer, length, inner;
    };
    Around around(std::size_t axis) const;

    // "(2, 6, 3)"; one dimension reads "(6,)" and none "()", as Python writes tuples.
    std::string text() const;

private:
    std::array<std::size_t, max_rank> sizes_{};
    std::size_t rank_ = 0;
};

// Position of one number: one index per axis, unused ones 0.
using Index = std::array<std::size_t, Shape::max_rank>;

class Tensor {
public:
    Tensor() : Tensor(Shape{}) {}
    // All zeros.
    explicit Tensor(const Shape& shape) : shape_(shape), values_(shape.count()) {}
    // Throws Error when the values do not fill the shape exactly.
    Tensor(const Shape& shape, std::vector<float> values);

    const Shape& shape() const { return shape_; }
    std::size_t rank() const { return shape_.rank(); }
    std::size_t count() const { return values_.size(); }
    // Size along an axis; -1 is the last, as in `x.shape[-1]`. Throws Error when there is no such axis.
    std::size_t size(int axis) const { return shape_[shape_.axis(axis, "size")]; }

    std::span<const float> values() const { return values_; }
    std::span<float> values() { return values_; }

    // The number at an index; indices beyond the rank are ignored. Throws Error when there is no such number.
    float at(const Index& index) const;

    // Where the number at an index lies among values(), and the other way round. Neither looks whether there
    // is such a number.
    std::size_t offset(const Index& index) const;
    Index index(std::size_t offset) const;

private:
    Shape shape_;
    std::vector<float> values_;
};

// Same shape and the same numbers bit for bit, but for NaN, which equals NaN.
bool identical(const Tensor& a, const Tensor& b);

}  // namespace attn
