// The data for the page's script: the numbers that are shown, their arithmetic, and the comparison with
// printed tables.
#pragma once

#include <span>
#include <string>

#include "printed/references.hpp"
#include "views/page/page.hpp"
#include "words/words.hpp"

namespace attn {

// Returns JSON without white space. The numbers of tensors are float32, low byte first, in base64.
std::string page_data(const Trace& trace, std::span<const PageVariant> variants,
                      std::span<const Reference> references, const Words& words, const PrintOptions& options);

}  // namespace attn
