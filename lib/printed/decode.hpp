// The first step of reading a paste: bytes in any of the usual encodings become plain ASCII where it matters.
#pragma once

#include <string>
#include <string_view>

namespace attn {

// The paste as UTF-8: UTF-16 with a byte order mark is converted (PowerShell's `>` writes it), terminal
// colours are removed. Throws Error for other encodings and for too much text.
std::string decode_paste(std::string_view bytes, std::string_view origin);

// Replaces decimal commas by points, and semicolons by commas, if the text uses decimal commas throughout:
// `0,5517; 0,4483`, `0,5517, 0,4483`, `"0,5517","0,4483"`.
void replace_decimal_commas(std::string& text);

}  // namespace attn
