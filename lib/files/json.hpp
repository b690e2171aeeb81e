// Reads JSON: nlohmann/json parses, and what it leaves open is refused here.
#pragma once

#include <cstddef>
#include <string_view>

#include "files/json_view.hpp"

namespace attn {

inline constexpr std::size_t max_json_depth = 32;
inline constexpr std::size_t max_json_values = 4'000'000;  // numbers not counted

// Reads one RFC 8259 value with nothing after it. Throws Error: with "origin:line:column" and the line for
// invalid JSON, a NUL byte, ill-formed UTF-8 or a number beyond double; with the JSON pointer for a duplicate
// key and for too much depth or too many values. A UTF-8 byte order mark is skipped, as RFC 8259 permits.
// `origin` must outlive the result.
JsonView parse_json(std::string_view text, std::string_view origin);

}  // namespace attn
