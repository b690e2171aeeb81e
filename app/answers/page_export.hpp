// Writes the page. For its comparisons, stages run again with the mask, the scaling or dropout switched off.
#pragma once

#include <string>

#include "views/format.hpp"

namespace attn {

// Writes the page. A variant of a stage is included only if it changes a number.
void write_html(const WriteBytes& write, const Trace& trace, const Style& style);

// Returns the data of this page as JSON, with or without the variants.
std::string page_json(const Trace& trace, const Style& style, bool with_variants);

}  // namespace attn
