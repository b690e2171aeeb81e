// Replaces words of other programs by those of this one, with the table of words/first_guesses.hpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attn {

struct OwnWords {
    std::vector<std::string> arguments;
    std::vector<std::string> without_effect;  // options that change nothing, and are not in the arguments
    bool is_chinese = false;                  // true: a word is in Chinese, so the answer is, too
};

// Replaces unknown commands and options by those of this program if the meaning is clear: `check x.npy` by
// `diagnose x.npy`, `--num_heads 4` by `--heads 4`. Leaves all other arguments as they are.
OwnWords in_own_words(const std::vector<std::string>& arguments);

// True for an argument such as --seed or -o; false for words, "--" and negative numbers.
bool is_option(std::string_view argument);

// Returns the entry for a word in one of the table's lists: "stages", "steps", "steps of causal", "hints" or
// "suffixes".
// Capitals and the signs - and _ do not count for stages and steps. Returns an empty text if there is none.
std::string first_guess(std::string_view list, std::string_view word);

// True for an option that would choose a type of numbers or a device.
bool chooses_device(std::string_view option);

// Returns a word in small letters, without the signs that people leave out or add: `Multi_Head` is multihead.
std::string plain_spelling(std::string_view word);

}  // namespace attn
