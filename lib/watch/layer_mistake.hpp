// Looks for a known mistake that gives the numbers of a departing call.
#pragma once

#include <string>

#include "watch/alignment.hpp"
#include "watch/recording.hpp"

namespace attn {

// Returns the name of the mistake, or an empty string.
std::string mistake_of(const Recording& recording, const AlignedLayer& layer);

}  // namespace attn
