// The sentences of explanations. `words` are those of data/narration/<language>/explanation.json.
#pragma once

#include <string>

#include "stages/trace.hpp"
#include "views/explain/derivation.hpp"
#include "words/words.hpp"

namespace attn {

// query 1 “journey”, key 0 “Your”
std::string position_text(const Words& words, const StageTrace& trace, std::size_t id, const Index& index);

// A reason as a sentence; numbers in it have `precision` decimals.
std::string reason_text(const Words& words, const StageTrace& trace, const CellReason& reason, int precision);

}  // namespace attn
