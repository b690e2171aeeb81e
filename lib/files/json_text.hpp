// What is wrong with a text that is no JSON, told with its place. How JSON is parsed is json.cpp's.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace attn {

// Throws Error for what nlohmann/json complained about in `message` after so many bytes, the last ones being
// `token`. `complete`: the value had ended before.
[[noreturn]] void fail_to_parse(std::string_view text, std::size_t position, const std::string& token,
                                std::string_view message, bool complete, std::string_view origin);

}  // namespace attn
