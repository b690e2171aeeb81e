// Reads and writes UTF-8, strictly, one code point at a time.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace attn {

struct CodePoint {
    char32_t value;
    std::size_t length;  // how many bytes the sequence has; 1 if it is ill-formed
    // False for sequences that RFC 3629 forbids: stray bytes, overlong forms, surrogates, > 10FFFF.
    bool valid;
};

// Decodes the code point that begins at text[at]; requires at < text.size().
CodePoint decode_utf8(std::string_view text, std::size_t at);

struct CodePointRange {
    char32_t first, last;
};
bool is_in(std::span<const CodePointRange> ranges, char32_t code_point);

// Appends the UTF-8 of a code point that is not a surrogate.
void append_utf8(char32_t code_point, std::string& text);

}  // namespace attn
