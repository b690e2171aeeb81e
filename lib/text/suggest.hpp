// The "did you mean" of every message about an unknown name.
#pragma once

#include <span>
#include <string_view>

#include "text/message.hpp"

namespace attn {

// ` Did you mean "tokens"?` for the nearest candidate, the first of equals; empty if none is near. Near is at
// most one slip per three bytes of the word: a letter too many, missing or wrong, or two swapped. Failing
// that, the first that begins with the word, or with which the word begins.
Message did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace attn
