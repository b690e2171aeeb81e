// Text for a page. All text from outside must pass through escaped(), because no other function escapes it.
#pragma once

#include <string>
#include <string_view>

namespace attn {

// Returns text that is safe in an element and in a quoted attribute. Markup becomes entities. Control
// characters, overrides of the writing direction and ill-formed bytes are spelled out as in printable(). Line
// breaks stay.
std::string escaped(std::string_view untrusted);

// Returns JSON that is safe in a <script> element, because it cannot end the element or begin a comment. `<`,
// `>` and `&`, which occur only in strings, become \u003c and so on.
std::string escaped_json(std::string_view json);

}  // namespace attn
