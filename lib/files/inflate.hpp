// Inflates, with zlib. In the browser, where there is none, app/web/zip.mjs inflates a file before the
// program gets it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace attn {

// What raw deflate data, as in ZIP, inflate to, at most `most` bytes; nothing for what is damaged.
std::optional<std::string> inflate(std::string_view deflated, std::uint32_t most);

}  // namespace attn
