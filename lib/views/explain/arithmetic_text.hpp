// Lines of arithmetic with their numbers put in: few digits, but always so many that the text, evaluated as
// it stands, gives the number after its equals sign.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "views/explain/derivation.hpp"

namespace attn {

// `context_vec[1][0]`, as code indexes the cell.
std::string cell_name(const Node& node, const Index& index);

// A number with `decimals` digits after the point. It has fewer if the rest are zeros (0.5, 2), and an
// exponent if they would show too little (3.4571e-09); inf and nan are Python's.
std::string number_text(double value, int decimals);

// A line as a reader wants it: terms that are 0 left out, and what stands in the middle of many terms put
// together to one number.
struct ShortLine {
    DerivationLine line;
    std::size_t zeros = 0;   // terms left out
    std::size_t summed = 0;  // terms put together
};

ShortLine shortened(const DerivationLine& line);

// Text in pieces between which a line may end.
using Pieces = std::vector<std::string>;

struct ArithmeticText {
    Pieces names;        // attn_weights[1][0]*values[0][0] + …; none without cells and where lines are used
    Pieces numbers;      // 0.5517*(-0.0872) + 0.4483*(-0.1137)
    std::string result;  // -0.0991
    bool equal = true;   // the numbers, evaluated as they are written, round to the result

    // 0.5517*(-0.0872) + 0.4483*(-0.1137) = -0.0991
    std::string equation() const;
};

// A shortened line in text, with `precision` decimals and more where the result would not follow from those.
ArithmeticText arithmetic_text(const Notebook& notebook, const DerivationLine& line, int precision,
                               Language language);

}  // namespace attn
