// A dense, row-major tensor of float32 with 0 to 4 axes. It owns its numbers. Other headers of this folder
// have the operations.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attn {

// The sizes of a tensor's axes, outermost first. A single number has no axes.
class Shape {
public:
    static constexpr std::size_t max_rank = 5;
    static constexpr std::size_t max_read_rank = 4;  // of tensors in files and texts

    // These constructors throw Error for more than five sizes.
    Shape() = default;
    Shape(std::initializer_list<std::size_t> sizes);
    explicit Shape(std::span<const std::size_t> sizes);

    std::size_t rank() const { return rank_; }
    // axis must be below max_rank; sizes beyond the rank are 0.
    std::size_t operator[](std::size_t axis) const { return sizes_[axis]; }
    std::size_t& operator[](std::size_t axis) { return sizes_[axis]; }
    const std::size_t* begin() const { return sizes_.data(); }
    const std::size_t* end() const { return sizes_.data() + rank_; }
    bool operator==(const Shape&) const = default;

    // Returns the number of elements. Throws Error if there are more than 2^28 (1 GiB), the limit of one
    // tensor, or more than a TensorLimit allows.
    std::size_t count() const;

    // Returns the axis that Python means by an index; -1 is the last. Throws Error if there is no such axis;
    // the message names `operation`.
    std::size_t axis(int index, std::string_view operation = "shape") const;

    // The size of an axis, and the number of elements before (outer) and after it (inner).
    struct Around {
        std::size_t outer, length, inner;
    };
    Around around(std::size_t axis) const;

    // Returns the shape as Python writes it: "(2, 6, 3)", "(6,)" or "()".
    std::string text() const;

private:
    std::array<std::size_t, max_rank> sizes_{};
    std::size_t rank_ = 0;
};

// The position of a number: an index for each axis, and 0 for unused axes.
using Index = std::array<std::size_t, Shape::max_rank>;

class Tensor {
public:
    Tensor() : Tensor(Shape{}) {}
    // Fills the tensor with zeros.
    explicit Tensor(const Shape& shape) : shape_(shape), values_(shape.count()) {}
    // Throws Error if the number of values does not fit the shape.
    Tensor(const Shape& shape, std::vector<float> values);

    const Shape& shape() const { return shape_; }
    std::size_t rank() const { return shape_.rank(); }
    std::size_t count() const { return values_.size(); }
    // Returns the size of an axis; -1 is the last, as in `x.shape[-1]`. Throws Error when there is no such
    // axis.
    std::size_t size(int axis) const { return shape_[shape_.axis(axis, "size")]; }

    std::span<const float> values() const { return values_; }
    std::span<float> values() { return values_; }

    // Returns the number at an index; indices beyond the rank are ignored. Throws Error when it is out of
    // range.
    float at(const Index& index) const;

    // These convert between an index and the position in values(), without checking the range.
    std::size_t offset(const Index& index) const;
    Index index(std::size_t offset) const;

private:
    Shape shape_;
    std::vector<float> values_;
};

// While it exists, tensors of this thread can have at most `most` numbers; larger ones throw Error.
class TensorLimit {
public:
    explicit TensorLimit(std::size_t most);
    TensorLimit(const TensorLimit&) = delete;
    ~TensorLimit();

private:
    std::size_t before_;
};

// Returns true if shape and bits are the same; NaN equals NaN.
bool identical(const Tensor& a, const Tensor& b);

}  // namespace attn
