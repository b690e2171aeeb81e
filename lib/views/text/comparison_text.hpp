// Comparisons with the documents' printed tables as a reader reads them.
#pragma once

#include <span>
#include <string>

#include "printed/comparison.hpp"
#include "words/words.hpp"

namespace attn {

// "180 of 180 digits agree (36 numbers), largest difference 4.9e-05", with the first cell that differs, if
// any. For a table with only a printed shape, it says whether the shape agrees.
std::string agreement_text(const Comparison& comparison, const Words& phrases);

// One such line per table, and what the documents are that print them.
std::string comparison_text(std::span<const Comparison> comparisons, const Words& phrases,
                            std::size_t columns);

}  // namespace attn
