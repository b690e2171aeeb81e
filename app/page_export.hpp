// The page with its before-and-after views: the stages run again with the mask, the scaling or dropout off.
#pragma once

#include "views/format.hpp"

namespace attn {

// Writes the page; a stage gets a variant only if it changes a number.
void write_html(const WriteBytes& write, const Trace& trace, const Style& style);

}  // namespace attn
