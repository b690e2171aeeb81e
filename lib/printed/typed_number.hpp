// Numbers as people type them, beside signs and marks that programs do not write.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attn {

// Returns the texts between relation signs, in small letters and with ASCII signs: `keys[1][0]` and `-0.0298`
// for "keys[1][0] ≈ −0.0298". Without such a sign, returns the whole text.
std::vector<std::string> sides_of_relations(std::string_view text);

// Returns 0.5517 for "**0,5517**." and for "tensor(0.5517)". Removes quotes, brackets, full stops, marks of
// Markdown and LaTeX, and calls around a text. Removes blanks after a minus sign. Replaces a decimal comma.
std::string without_marks(std::string_view text);

// Returns the number in the form that programs write, 0.5517 for "≈ 0,5517?", if the text has no other words
// and no different number; otherwise an empty text.
std::string plain_number(std::string_view text);

}  // namespace attn
