// The trace for programs: everything the text shows, and all numbers in full.
#pragma once

#include "views/format.hpp"

namespace attn {

// Writes {"format": "attn-walkthrough/trace", "version": 1, …}. The same trace always gives the same bytes.
// `style` applies to titles, notes and "printed"; "data" is always complete.
void write_json(const WriteBytes& write, const Trace& trace, const Style& style);

}  // namespace attn
