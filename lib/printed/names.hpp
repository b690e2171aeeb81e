// Finds the name of a tensor in the words before it.
#pragma once

#include <string>
#include <string_view>

namespace attn {

// `before` is the text on the tensor's own line before it, `above` the last line above that is not blank.
// Returns an empty string if neither contains a name. Names are read from `keys = `, `"keys": `, `Keys:`,
// `>>> print(keys)`, `In [3]: keys`, `print(keys)` and `('keys',`.
std::string tensor_name(std::string_view before, std::string_view above);

}  // namespace attn
