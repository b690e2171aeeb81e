// Reads JSON: nlohmann/json parses, and what it leaves open is refused here.
#pragma once

#include <cstddef>
#include <string_view>

#include "files/json_view.hpp"

namespace attn {

inline constexpr std::size_t max_json_depth = 32;
inline constexpr std::size_t max_json_memory = std::size_t{1}
                                               << 30U;  // some 67 million numbers, or less of others

// Reads one RFC 8259 value with nothing after it. Throws Error: with "origin:line:column" and the line for
// invalid JSON, a NUL byte, ill-formed UTF-8 or a number beyond double; and for a key that stands twice in an
// object, for too much depth and for more values than fit into max_json_memory. A UTF-8 byte order mark is
// skipped, as RFC 8259 permits. `origin` must outlive the result.
JsonView parse_json(std::string_view text, std::string_view origin);

}  // namespace attn
