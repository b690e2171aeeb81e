// Fills in the sentences of explanations. `words` is data/narration/<language>/explanation.json.
#pragma once

#include <string>

#include "stages/trace.hpp"
#include "views/explain/derivation.hpp"
#include "words/words.hpp"

namespace attn {

// Names the place of a cell by axes and tokens: query 1 “journey”, key 0 “Your”.
std::string position_text(const Words& words, const StageTrace& trace, std::size_t id, const Index& index);

// Returns a reason as a sentence; its numbers have `precision` decimals.
std::string reason_text(const Words& words, const StageTrace& trace, const CellReason& reason, int precision);

}  // namespace attn
