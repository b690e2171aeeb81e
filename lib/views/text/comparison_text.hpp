// Comparisons with the documents' printed tables, as text for the terminal.
#pragma once

#include <span>
#include <string>

#include "views/comparison/comparison.hpp"
#include "words/words.hpp"

namespace attn {

// Returns "180 of 180 digits agree (36 numbers), largest difference 4.9e-05", with the first cell that
// differs, if any. If only the shape is printed, it says whether the shape agrees.
std::string agreement_text(const Comparison& comparison, const Words& phrases);

// Returns one such line per table, and explains which documents print them.
std::string comparison_text(std::span<const Comparison> comparisons, const Words& phrases,
                            std::size_t columns);

}  // namespace attn
