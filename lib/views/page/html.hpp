// Text on its way into a page. Whatever comes from outside goes through escaped(); nothing else escapes.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "views/format.hpp"

namespace attn {

// Text that is safe in an element and in a quoted attribute. Markup becomes entities. Controls, overrides of
// writing direction and ill-formed bytes are spelled out as in printable(). Line breaks stay. The first
// `most` characters and `…` of a longer text.
std::string escaped(std::string_view untrusted, std::size_t most = std::string_view::npos);

// JSON on its way into a <script> element, which it can neither end nor comment out: `<`, `>` and `&` stand
// in its strings only, and are spelled \u003c there.
std::string escaped_json(std::string_view json);

// Writes the template with what `fill` writes for the name in place of each `{{name}}`. Throws
// std::logic_error for braces that do not close.
using FillHole = std::function<void(std::string_view hole, const WriteBytes& write)>;
void write_filled_in(const WriteBytes& write, std::string_view page, const FillHole& fill);

}  // namespace attn
