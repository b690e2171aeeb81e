// Reads JSON with nlohmann/json, and rejects some input that its parser accepts, such as duplicate keys.
#pragma once

#include <cstddef>
#include <string_view>

#include "files/json_view.hpp"
#include "tensor/error.hpp"

namespace attn {

// An object that has a key twice. The text is JSON otherwise.
class DuplicateKey : public Error {
    using Error::Error;
};

inline constexpr std::size_t max_json_depth = 32;
inline constexpr std::size_t max_json_memory = std::size_t{1} << 30U;  // enough for about 67 million numbers

// Reads a text that contains one RFC 8259 value and nothing else. A UTF-8 byte order mark is skipped, as RFC
// 8259 permits. Throws Error with "origin:line:column" and the line for invalid JSON, a NUL byte, ill-formed
// UTF-8 or a number beyond the range of double. Throws Error also for duplicate keys, too much depth, or more
// values than fit into max_json_memory. `origin` must outlive the result.
JsonView parse_json(std::string_view text, std::string_view origin);

}  // namespace attn
