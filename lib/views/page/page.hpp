// The walkthrough as one page for a browser: no network, complete without a script, and the same bytes for
// the same trace. Its layout, style and behaviour are files of data/page/; what it says is made from the
// trace here.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "stages/trace.hpp"
#include "tensor/tensor_text.hpp"

namespace attn {

// A stage of the trace walked with something switched off, for the page to show before and after.
struct PageVariant {
    std::string id;  // its words are "variant_<id>" of page.json
    StageTrace trace;
};

// Text in `language`, tables with the precision of `options`.
void write_page(const std::function<void(std::string_view)>& write, const Trace& trace,
                std::span<const PageVariant> variants, std::string_view language,
                const PrintOptions& options);

}  // namespace attn
