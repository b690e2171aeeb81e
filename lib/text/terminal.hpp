// Removes escape sequences from text that was copied or recorded from a terminal.
#pragma once

#include <string>
#include <string_view>

namespace attn {

// Returns the text without escape sequences: colours and cursor movements (`ESC [ … letter`), titles and
// links
// (`ESC ] … BEL` or `ESC \`), and short ones. ECMA-48, section 5.
std::string without_escapes(std::string_view text);

}  // namespace attn
