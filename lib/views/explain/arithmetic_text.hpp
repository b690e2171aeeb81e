// Lines of arithmetic with numbers. They have as few digits as possible, but enough that the printed
// arithmetic gives the printed result. If no number of digits is enough, the sign is ≈ instead of =.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "views/explain/derivation.hpp"

namespace attn {

// Returns a cell as code writes it: `context_vec[1][0]`.
std::string cell_name(const Node& node, const Index& index);

// A number as text, the value that the text has, and its largest possible rounding error.
struct ShownNumber {
    std::string text;
    double value;
    double half_unit;

    // Returns true if a value would be rounded to the same text.
    bool rounds(double value) const;
};

// Writes a number with `decimals` digits after the point, without zeros at the end (0.5, 2). A very small
// number gets an exponent (3.4571e-09). inf and nan are written as in Python.
ShownNumber shown_number(double value, int decimals);
std::string number_text(double value, int decimals);

// A line shortened for reading: terms that are 0 are left out, and the middle of many terms is replaced by
// its value.
struct ShortLine {
    DerivationLine line;
    std::size_t zeros = 0;   // how many terms are left out because they are 0
    std::size_t summed = 0;  // how many terms their sum replaces
};

ShortLine shortened(const DerivationLine& line);

// A text in pieces; a line may be broken between two pieces.
using Pieces = std::vector<std::string>;

struct ArithmeticText {
    // Attn_weights[1][0]*values[0][0] + …; empty if there are no cells, or if earlier lines are used.
    Pieces names;
    Pieces numbers;      // 0.5517*(-0.0872) + 0.4483*(-0.1137)
    std::string result;  // -0.0991
    bool equal = true;   // true if the printed numbers give the printed result

    // Returns the equation: 0.5517*(-0.0872) + 0.4483*(-0.1137) = -0.0991
    std::string equation() const;
};

// Writes a shortened line with `precision` decimals, or more if these would give a different result.
ArithmeticText arithmetic_text(const Notebook& notebook, const DerivationLine& line, int precision,
                               Language language);

}  // namespace attn
