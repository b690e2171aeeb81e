// One step as comma-separated values, for spreadsheets and data frames. The last axis becomes the columns;
// the others label the rows, with tokens for an axis of tokens.
#pragma once

#include "views/format.hpp"

namespace attn {

// Writes CSV as in RFC 4180, but with only a line feed at the end of each line. Numbers have all their
// digits; inf and nan are written as Python reads them.
void write_csv(const WriteBytes& write, const Trace& trace, const Style& style);
void require_one_step(const Trace& trace);

}  // namespace attn
