// The "did you mean" of every message about an unknown name.
#pragma once

#include <span>
#include <string_view>

#include "text/message.hpp"

namespace attn {

// ` Did you mean "tokens"?` for the nearest candidate, the first of equals, or nothing when none is near: at
// most one typing slip (a letter too many, missing, wrong, or two swapped) per three bytes of the word.
// Failing that, the first that begins with the word, or with which the word begins.
Message did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace attn
