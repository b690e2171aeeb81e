// Text for a page. All text from outside passes through escaped(); no other function escapes it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "views/format.hpp"

namespace attn {

// Returns text that is safe in an element and in a quoted attribute. Markup becomes entities. Control
// characters, overrides of the writing direction and ill-formed bytes are spelled out as in printable(). Line
// breaks stay. A longer line is cut after `most` characters and ends with `…`.
std::string escaped(std::string_view untrusted, std::size_t most = std::string_view::npos);

// Returns JSON that can neither end nor comment out its <script> element. `<`, `>` and `&` occur only in
// strings, where they are written as \u003c and so on.
std::string escaped_json(std::string_view json);

// Writes the template; `fill` writes the replacement of each `{{name}}`. Throws std::logic_error for braces
// that are not closed.
using FillHole = std::function<void(std::string_view hole, const WriteBytes& write)>;
void write_filled_in(const WriteBytes& write, std::string_view page, const FillHole& fill);

}  // namespace attn
