// One step as comma-separated values, for spreadsheets and data frames: its last axis runs along the columns,
// the others head the rows, by token where they count tokens.
#pragma once

#include "views/format.hpp"

namespace attn {

// RFC 4180, with a line feed at the end of each line; every number in full, inf and nan as Python reads them.
void write_csv(const WriteBytes& write, const Trace& trace, const Style& style);
void require_one_step(const Trace& trace);

}  // namespace attn
