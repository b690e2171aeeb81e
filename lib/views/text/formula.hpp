// A formula for people without a browser.
#pragma once

#include <string>
#include <string_view>

namespace attn {

// The MathML that operations are written in, as one line of text: `S = Q Kᵀ`, `A_ij / √d_k`. Knows the
// elements our rows use; throws std::logic_error for any other.
std::string formula_text(std::string_view mathml);

}  // namespace attn
