// Sentences that stand in English where they belong, such as the help of an option or what is wrong with a
// file, in another language: data/narration/<language>/translations.json has each by the English sentence.
#pragma once

#include <string>
#include <string_view>

#include "text/message.hpp"

namespace attn {

// The translation of exactly this text; the text itself where there is none.
std::string translated(std::string_view english, std::string_view language);

// The message in that language. What it quotes from users and files stays as it is.
std::string worded(const Message& message, std::string_view language);

}  // namespace attn
