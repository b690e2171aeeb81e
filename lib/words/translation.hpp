// What is written in English where it belongs, such as the help of an option or what is wrong with a file, in
// another language: data/narration/<language>/translations.json has it by the English sentence, with `{}` in
// the place of what it is about.
#pragma once

#include <string>
#include <string_view>

namespace attn {

// The text in that language, and what it is about as well where that has a translation of its own; English
// where there is none.
std::string translated(std::string_view english, std::string_view language);

}  // namespace attn
