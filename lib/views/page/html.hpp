// Text on its way into a page. Whatever comes from outside goes through escaped(); nothing else escapes.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace attn {

// Safe as the text of an element and within a quoted attribute: markup spelled as entities, and what a
// browser would obey or hide (controls, overrides of writing direction, ill-formed bytes) as printable()
// spells it. Line breaks stay. Of more than `most` characters the first ones and `…`.
std::string escaped(std::string_view untrusted, std::size_t most = std::string_view::npos);

// JSON on its way into a <script> element, which it can neither end nor comment out: `<`, `>` and `&` stand
// in its strings only, and are spelled \u003c there.
std::string escaped_json(std::string_view json);

// The template with each `{{name}}` replaced by what `fill` answers for the name. Throws std::logic_error for
// braces that do not close.
std::string filled_in(std::string_view page, const std::function<std::string(std::string_view)>& fill);

}  // namespace attn
