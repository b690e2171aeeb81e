// Where in a computed tensor the numbers of a printed one stand: all of it, or a piece that somebody took out
// of it, as Python would.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "printed/tensor.hpp"

namespace attn {

enum class PieceKind { whole, number, row, entry, rows, column, block, transposed, reshaped, flattened };

struct Piece {
    PieceKind kind = PieceKind::whole;
    bool cut = false;        // of its rows, only parts
    bool exchanged = false;  // rows and columns, where both have one size
    std::string index{};     // as Python takes it: "", "[1]", "[1:4]", "[:, 1]", ".T"
    double bits = 0.0;       // that it takes to say which piece it is
    // Of a row, rows or a column of a matrix: the first, and how many.
    std::size_t first = 0;
    std::size_t count = 0;
    // Where in the tensor each number printed stands, by offset; a match does without.
    std::vector<std::size_t> offsets{};
};

// A printed tensor, prepared for being looked for in many computed ones.
class Pattern {
public:
    // `slack`: how much farther than printed a number other than 0 may be; `units` of its last digit.
    explicit Pattern(const PrintedTensor& printed, double slack = 0.0, double units = 0.5);

    const PrintedTensor& printed() const { return *printed_; }
    // True if the n-th number printed agrees with x.
    bool agrees(std::size_t n, float x) const;

    // True if a tensor of this shape has such a piece, not counting parts of a row or of columns.
    bool fits(const Shape& shape) const;
    // True if it has any piece that is as large.
    bool may_be_in(const Shape& shape) const;
    // The piece whose numbers all agree; of several the one that is said in the fewest bits.
    std::optional<Piece> find_in(const Tensor& x) const;
    // The piece of which the fewest numbers disagree; unless it is all of it, more than half have to agree.
    // Nothing when no piece has this shape, or so many have it that looking at all of them takes too long.
    std::optional<Piece> nearest_in(const Tensor& x) const;
    // The same where at most one number disagrees.
    std::optional<Piece> nearly_in(const Tensor& x) const;
    // The sum of the squares that rounding to the digits printed is expected to leave.
    double rounding() const;
    // Those of which the sums of the squared differences are least, some of them.
    std::vector<Piece> closest_in(const Tensor& x) const;

private:
    struct Place;
    std::size_t offset_of(std::size_t n, const Place& place) const;
    template <typename Visit>
    void visit_places(const Shape& shape, const Visit& visit) const;
    template <typename Visit>
    bool visit_numbers(const Place& place, const Visit& visit) const;
    template <typename Difference>
    std::vector<Piece> least_in(const Tensor& x, std::size_t count, const Difference& difference,
                                double below) const;
    std::optional<Piece> nearest_below(const Tensor& x, double disagreeing) const;
    Piece piece_at(const Place& place, const Shape& shape) const;

    const PrintedTensor* printed_;
    std::vector<double> tolerances_;
    std::size_t telling_ = 0;  // the number that fewest places have
};

}  // namespace attn
