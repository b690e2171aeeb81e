// Translates sentences that the code has in English, such as help and errors:
// data/narration/<language>/translations.json has each by the English sentence.
#pragma once

#include <string>
#include <string_view>

#include "text/message.hpp"

namespace attn {

// The translation of exactly this text; the text itself where there is none.
std::string translated(std::string_view english, std::string_view language);

// The message in that language. Quotations from users and files stay as they are.
std::string worded(const Message& message, std::string_view language);

}  // namespace attn
