// How far a computed tensor agrees with a printed table: the program's one tolerance, and the one line that
// says so.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "printed/references.hpp"
#include "tensor/tensor.hpp"
#include "words/words.hpp"

namespace attn {

struct Mismatch {
    Index index{};
    std::string printed;
    float computed = 0.0F;
};

struct Agreement {
    Shape computed_shape;
    bool same_shape = false;  // when false no number is compared, and none agrees
    std::size_t numbers = 0;
    std::size_t numbers_agreeing = 0;
    std::size_t digits = 0;  // decimal digits of the printed text: 5 in "-0.0739", none in "-inf"
    std::size_t digits_agreeing = 0;
    double largest_difference = 0.0;  // where printed and computed number are both finite
    std::optional<Mismatch> first_mismatch;
    std::vector<std::size_t> disagreeing;  // offsets of the numbers that do not agree

    bool agrees() const { return same_shape && numbers_agreeing == numbers; }
};

// Compares in double. A number printed with d decimals agrees when |x − printed| ≤ ½·10⁻ᵈ + 1e-6; in
// scientific notation that bound holds for the mantissa; inf agrees with inf of the same sign only, nan with
// nan only. All digits of a number that agrees do; of one that does not, those before the first that differs
// from x printed alike. Throws Error when a number's text is none that PyTorch prints, or their count does
// not fill the reference's shape.
Agreement compare(const Reference& reference, const Tensor& computed);

// "180 of 180 digits agree (36 numbers), largest difference 4.9e-05", and where it does not agree, the first
// cell that differs; for a table of which only the shape is printed, whether the shape agrees.
std::string agreement_text(const Reference& reference, const Agreement& agreement, const Words& phrases);

}  // namespace attn
