// The walkthrough as one page for a browser. It uses no network, reads as text and tables without a script,
// and has the same bytes for the same trace. Layout, style and script are files of data/page/; the content is
// written here.
#pragma once

#include <span>
#include <string>

#include "views/format.hpp"

namespace attn {

// A variant of a stage: a second run with something switched off, shown next to the original run.
struct PageVariant {
    std::string id;  // "mask", "scaling" or "dropout"
    StageTrace trace;
};

void write_page(const WriteBytes& write, const Trace& trace, std::span<const PageVariant> variants,
                const Style& style);

}  // namespace attn
