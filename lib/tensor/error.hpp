// The one exception the library throws for what a caller or a reader of data got wrong.
#pragma once

#include <stdexcept>

namespace attn {

// Its text is one clear message: what was wrong, where, and what would be right. What can be set otherwise
// stands there in backticks, by its name in the library: `num_heads`.
class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace attn
