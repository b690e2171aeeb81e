// Finds a printed tensor in a computed one. It may be the whole tensor, or a piece that was indexed or sliced
// in Python.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "mistakes/budget.hpp"
#include "printed/tensor.hpp"

namespace attn {

enum class PieceKind { whole, number, row, entry, rows, column, block, transposed, reshaped, flattened };

struct Piece {
    PieceKind kind = PieceKind::whole;
    bool cut = false;        // the piece contains only parts of rows
    bool exchanged = false;  // the piece is a square matrix, transposed
    std::string index{};     // the piece as Python code: "", "[1]", "[1:4]", "[:, 1]", ".T"
    double bits = 0.0;       // description length of the piece
    // For rows or columns of a matrix: the index of the first one, and how many there are.
    std::size_t first = 0;
    std::size_t count = 0;
    // The offset of each printed number in the tensor. Empty if all numbers agree.
    std::vector<std::size_t> offsets{};
};

// A printed tensor, prepared for searching many computed tensors.
class Pattern {
public:
    // `slack` is added to the tolerance of numbers other than 0.
    explicit Pattern(const PrintedTensor& printed, double slack = 0.0);

    const PrintedTensor& printed() const { return *printed_; }
    // Returns true if the n-th printed number agrees with x.
    bool agrees(std::size_t n, float x) const;

    // Returns true if a tensor of this shape has a piece of the printed shape. Parts of rows or columns do
    // not count.
    bool fits(const Shape& shape) const;
    // Like fits(), but parts of rows and columns count, too.
    bool may_be_in(const Shape& shape) const;
    // Estimates the work of find_in().
    Work work_in(const Shape& shape) const {
        constexpr Work of_each = 40;
        constexpr Work of_place = 6;
        const std::size_t numbers = printed_->numbers.size();
        return shape.count() < numbers  ? 1
               : printed_->summarised() ? of_each
                                        : of_each + of_place * (shape.count() - numbers);
    }
    // Returns a piece in which all numbers agree, the one with the shortest description; nothing if there is
    // none.
    std::optional<Piece> find_in(const Tensor& x) const;
    // Returns the piece with the fewest disagreeing numbers. Unless it is the whole tensor, more than half
    // must agree. Returns nothing when no piece has this shape, or when there are too many pieces to compare.
    std::optional<Piece> nearest_in(const Tensor& x) const;
    // Returns that piece if at most one of its numbers disagrees, otherwise nothing.
    std::optional<Piece> nearly_in(const Tensor& x) const;
    // Returns the sum of squared differences to expect, because printed digits are rounded.
    double rounding() const;
    // Returns the pieces with the smallest sums of squared differences.
    std::vector<Piece> closest_in(const Tensor& x) const;

private:
    template <typename Difference>
    std::vector<Piece> least_in(const Tensor& x, std::size_t count, const Difference& difference,
                                double below) const;
    std::optional<Piece> nearest_below(const Tensor& x, double disagreeing) const;

    const PrintedTensor* printed_;
    std::vector<double> tolerances_;
    std::size_t rarest_ = 0;  // index of the number with the most digits, which is compared first
};

}  // namespace attn
