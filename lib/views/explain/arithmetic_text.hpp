// Lines of arithmetic with numbers. They have as few digits as possible, but enough that the printed
// arithmetic gives the printed result. If no number of digits is enough, the sign is ≈ instead of =.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "views/explain/derivation.hpp"
#include "words/words.hpp"

namespace attn {

// Return an index and a cell as code writes them: `[1][0]`, `context_vec[1][0]`.
std::string index_text(const Index& index, std::size_t rank);
std::string cell_name(const Node& node, const Index& index);

// Writes a number with `decimals` digits after the point, without zeros at the end (0.5, 2). A very small
// number gets an exponent (3.4571e-09). inf and nan are written as in Python.
std::string number_text(double value, int decimals);

// Returns a line shortened for reading: terms that are 0 are left out, and the middle of many terms is
// replaced by its value.
DerivationLine shortened(DerivationLine line);

// One line of an explanation: label = names = arithmetic = result. Terminal, JSON and page show these lines.
struct ArithmeticText {
    // A part of the operation (`exp`) or a cell (`context_vec[1][0]`); empty for a cell of an unnamed tensor.
    std::string label;
    // attn_weights[1][0]*values[0][0] + …; empty if there are no cells, or if earlier lines are used.
    std::vector<TextPiece> names;
    std::vector<TextPiece> pieces;  // 0.5517*(-0.0872) + 0.4483*(-0.1137)
    std::string result;             // -0.0991
    bool exact = true;              // true if the printed numbers give the printed result
    std::string remark;             // the terms that are left out; may be empty

    // Returns the equation: 0.5517*(-0.0872) + 0.4483*(-0.1137) = -0.0991
    std::string equation() const;
};

// Returns the arithmetic with the names of its cells; empty as in ArithmeticText.
std::vector<TextPiece> names_of(const Notebook& notebook, const Expr& arithmetic, Language language);

// Writes a line, shortened, with `precision` decimals, or more if these would give a different result.
// `words` is data/narration/<language>/explanation.json.
ArithmeticText arithmetic_text(const Notebook& notebook, const DerivationLine& line, const Words& words,
                               int precision, Language language);

}  // namespace attn
