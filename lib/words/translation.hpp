// Translates sentences that are in English in the code, such as help and errors.
// data/narration/<language>/translations.json maps the English sentence to its translation.
#pragma once

#include <string>
#include <string_view>

#include "text/message.hpp"

namespace attn {

// Returns the translation of this text, or the text itself if it has no translation.
std::string translated(std::string_view english, std::string_view language);

// Returns the message in this language. Quotations from users and files stay as they are.
std::string worded(const Message& message, std::string_view language);

}  // namespace attn
