// The trace as JSON, for programs: everything that the text shows, and every number.
#pragma once

#include "views/format.hpp"

namespace attn {

// Writes {"format": "attn-walkthrough/trace", "version": 1, …}. The same trace always gives the same bytes.
// `style` sets the language of titles and notes, and the digits of "printed"; "data" always has all digits.
void write_json(const WriteBytes& write, const Trace& trace, const Style& style);

}  // namespace attn
