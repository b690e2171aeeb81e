// Suggests a known name for an unknown one.
#pragma once

#include <span>
#include <string_view>

#include "text/message.hpp"

namespace attn {

// Returns ` Did you mean "tokens"?` with the nearest candidate; of equally near ones, with the first. Returns
// an empty text if none is near. Near means at most one added, missing, wrong or swapped letter per three
// bytes of the word. A single letter is not near a different one. The dashes of options do not count, so
// `seed` suggests `--seed`. If none is near, suggests the first candidate that begins with the word, or with
// which the word begins.
Message did_you_mean(std::string_view mistyped, std::span<const std::string_view> candidates);

}  // namespace attn
