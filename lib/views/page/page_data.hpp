// The data for the page's script: every shown number, its arithmetic, and the numbers that agree with a
// printed table.
#pragma once

#include <span>
#include <string>

#include "printed/references.hpp"
#include "views/page/page.hpp"
#include "words/words.hpp"

namespace attn {

// Returns JSON without white space. Numbers of tensors are float32 with the low byte first, in base64.
std::string page_data(const Trace& trace, std::span<const PageVariant> variants,
                      std::span<const Reference> references, const Words& words, const PrintOptions& options);

}  // namespace attn
