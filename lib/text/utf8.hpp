// Reading UTF-8 strictly, one code point at a time; what they mean is the callers' business.
#pragma once

#include <cstddef>
#include <string_view>

namespace attn {

struct CodePoint {
    char32_t value;
    std::size_t length;  // in bytes; of an ill-formed sequence the first byte only
    bool valid;          // false for what RFC 3629 forbids: stray bytes, overlong forms, surrogates, > 10FFFF
};

// The code point that begins at text[at]; at < text.size().
CodePoint decode_utf8(std::string_view text, std::size_t at);

}  // namespace attn
