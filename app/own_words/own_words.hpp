// Replaces words of other programs by those of this one, with the table of words/first_guesses.hpp.
#pragma once

#include <string>
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

}  // namespace attn
