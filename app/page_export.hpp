// The page, with what it shows before and after: the stages walked again with the mask, the scaling or
// dropout off.
#pragma once

#include "views/format.hpp"

namespace attn {

// A format; variants are only of stages where one changes a number.
void write_html(const WriteBytes& write, const Trace& trace, const Style& style);

}  // namespace attn
