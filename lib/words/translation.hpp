// Translates sentences that are in English in the code, such as help and errors.
// data/narration/<language>/translations.json maps the English sentence to its translation.
#pragma once

#include <string>
#include <string_view>

#include "text/message.hpp"

namespace attn {

// Returns the translation of exactly this text, or the text itself if there is none.
std::string translated(std::string_view english, std::string_view language);

// Returns the message in that language. Quotations from users and files are not translated.
std::string worded(const Message& message, std::string_view language);

}  // namespace attn
