// Writes the page. For its comparisons, stages run again with the mask, the scaling or dropout switched off.
#pragma once

#include "views/format.hpp"

namespace attn {

// Writes the page. A variant of a stage is included only if it changes a number.
void write_html(const WriteBytes& write, const Trace& trace, const Style& style);

}  // namespace attn
