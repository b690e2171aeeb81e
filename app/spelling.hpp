// Spellings of words and options that mean the same.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attn {

// Returns a word in small letters, without the signs that people leave out or add: `Multi_Head` is multihead.
std::string plain_spelling(std::string_view word);

// Returns the usual spelling of an option: --num-heads for `--num_heads` and `-Num-heads`.
std::string usual_name(std::string_view option);

// Returns the option without its dashes.
std::string_view bare_name(std::string_view option);

// Returns .png for Plot.PNG; an empty text for a name without a dot.
std::string suffix_of(std::string_view name);

std::vector<std::string> split_at_blanks(std::string_view text);

// True for an argument such as --seed or -o; false for words, "--" and negative numbers.
bool is_option(std::string_view argument);

// Returns the entry for a word in one of the table's lists: "stages", "steps", "steps of causal", "hints" or
// "suffixes". Capitals and the signs - and _ do not count for stages and steps. Returns an empty text if
// there is none.
std::string first_guess(std::string_view list, std::string_view word);

// True for an option that would choose a type of numbers or a device.
bool chooses_device(std::string_view option);

}  // namespace attn
