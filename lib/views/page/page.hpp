// The walkthrough as one page for a browser: no network, complete without a script, and the same bytes for
// the same trace. Its layout, style and behaviour are files of data/page/; what it says is made from the
// trace here.
#pragma once

#include <span>
#include <string>

#include "views/format.hpp"

namespace attn {

// A stage of the trace walked with something switched off, for the page to show before and after.
struct PageVariant {
    std::string id;  // its words are "variant_<id>" of page.json
    StageTrace trace;
};

void write_page(const WriteBytes& write, const Trace& trace, std::span<const PageVariant> variants,
                const Style& style);

}  // namespace attn
