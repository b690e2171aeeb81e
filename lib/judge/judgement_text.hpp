// Judgements as text for the terminal: the settings read from the code, one line per output, then the first
// output that departs with the reader's line beside the right one.
#pragma once

#include <string>

#include "judge/judgement_json.hpp"
#include "words/words.hpp"

namespace attn {

std::string judgement_text(const JudgedDocument& judged, const Words& phrases);

// The verdict in words: "right, step 16 of causal".
std::string verdict_text(const Judgement& judgement, const Judged& output, const Words& phrases);

}  // namespace attn
