// The name of a tensor, from the words before it in a text.
#pragma once

#include <string>
#include <string_view>

namespace attn {

// `before` is the tensor's own line up to it, `above` the last line before that which is not blank; both
// without line ends. Empty when neither names it: `keys = `, `"keys": `, `Keys:`, `>>> print(keys)`,
// `In [3]: keys`, `print(keys)`, `('keys',`.
std::string tensor_name(std::string_view before, std::string_view above);

}  // namespace attn
