// The data of the page's script: every number shown, its arithmetic, and which numbers agree with a printed
// table.
#pragma once

#include <span>
#include <string>

#include "printed/references.hpp"
#include "views/page/page.hpp"
#include "words/words.hpp"

namespace attn {

// JSON without white space; numbers of tensors are float32, low byte first, in base64.
std::string page_data(const Trace& trace, std::span<const PageVariant> variants,
                      std::span<const Reference> references, const Words& words, const PrintOptions& options);

}  // namespace attn
