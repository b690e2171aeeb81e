// Lines of arithmetic with numbers: with few digits, but enough that the text, evaluated as printed, gives
// the number after its equals sign. Where no digits are enough, the sign is ≈.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "views/explain/derivation.hpp"

namespace attn {

// Returns a cell as code writes it: `context_vec[1][0]`.
std::string cell_name(const Node& node, const Index& index);

// A number as text, the value of this text, and the greatest rounding error it may have.
struct ShownNumber {
    std::string text;
    double value;
    double half_unit;

    // Returns true if a value, rounded in the same way, would be shown as this number.
    bool rounds(double value) const;
};

// Writes a number with `decimals` digits after the point, or fewer if the rest are zeros (0.5, 2). If these
// digits would show too little, it uses an exponent (3.4571e-09). inf and nan are Python's.
ShownNumber shown_number(double value, int decimals);
std::string number_text(double value, int decimals);

// A line shortened for reading: terms that are 0 are left out, and the middle of many terms is replaced by
// its value.
struct ShortLine {
    DerivationLine line;
    std::size_t zeros = 0;   // the number of terms left out
    std::size_t summed = 0;  // the number of terms replaced
};

ShortLine shortened(const DerivationLine& line);

// Text in pieces; a line may be broken between them.
using Pieces = std::vector<std::string>;

struct ArithmeticText {
    Pieces names;  // attn_weights[1][0]*values[0][0] + …; empty without cells, or if it uses earlier lines
    Pieces numbers;      // 0.5517*(-0.0872) + 0.4483*(-0.1137)
    std::string result;  // -0.0991
    bool equal = true;   // the printed numbers give the printed result

    // Returns the equation: 0.5517*(-0.0872) + 0.4483*(-0.1137) = -0.0991
    std::string equation() const;
};

// Writes a shortened line with `precision` decimals, or more if those would give a different result.
ArithmeticText arithmetic_text(const Notebook& notebook, const DerivationLine& line, int precision,
                               Language language);

}  // namespace attn
