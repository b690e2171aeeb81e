// The trace for programs: everything the text shows, and every number in full.
#pragma once

#include "views/format.hpp"

namespace attn {

// {"format": "attn-walkthrough/trace", "version": 1, …}: the same trace gives the same bytes. The style is
// that of titles, notes and "printed"; "data" is always complete.
void write_json(const WriteBytes& write, const Trace& trace, const Style& style);

}  // namespace attn
