// UTF-8, read strictly and written, one code point at a time; what they mean is the callers' business.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace attn {

struct CodePoint {
    char32_t value;
    std::size_t length;  // in bytes; of an ill-formed sequence the first byte only
    bool valid;          // false for what RFC 3629 forbids: stray bytes, overlong forms, surrogates, > 10FFFF
};

// The code point that begins at text[at]; at < text.size().
CodePoint decode_utf8(std::string_view text, std::size_t at);

// Appends the UTF-8 of a code point, which is none of a surrogate.
void append_utf8(char32_t code_point, std::string& text);

}  // namespace attn
