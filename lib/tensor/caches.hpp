// What kernels size their blocks by.
#pragma once

#include <cstddef>

namespace attn {

// Bytes of a core's second cache: what the processor says, or 1 MiB where it does not.
std::size_t second_cache();

// For tests, while nothing is being computed. 0: what the processor says again.
void force_second_cache(std::size_t bytes);

}  // namespace attn
