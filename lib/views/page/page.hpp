// The walkthrough as one page for a browser. It uses no network, is complete without a script, and has the
// same bytes for the same trace. Its layout, style and script are files of data/page/; its content is written
// here.
#pragma once

#include <span>
#include <string>

#include "views/format.hpp"

namespace attn {

// A run of a stage with something switched off, which the page shows beside the original run.
struct PageVariant {
    std::string id;  // "mask", "scaling" or "dropout"
    StageTrace trace;
};

void write_page(const WriteBytes& write, const Trace& trace, std::span<const PageVariant> variants,
                const Style& style);

}  // namespace attn
