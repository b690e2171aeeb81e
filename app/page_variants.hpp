// What a page shows before and after: the stages walked again with the mask, the scaling or dropout off.
#pragma once

#include <vector>

#include "options.hpp"
#include "stages/trace.hpp"
#include "views/page/page.hpp"

namespace attn {

// Only of stages where it changes a number. None for weights that came from standard input, which is read
// once.
std::vector<PageVariant> page_variants(const Options& options, const Trace& trace);

}  // namespace attn
