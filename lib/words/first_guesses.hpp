// Words of other programs, of the book and of PyTorch's users, with this program's words for them:
// data/first_guesses.json.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attn {

// Returns what a key of a list means, if the table has this list and the list has this key.
std::optional<std::string> guess_entry(std::string_view list, std::string_view key);

// Returns the keys of a list and what they mean. A list that the table does not have is empty.
std::vector<std::pair<std::string, std::string>> guess_entries(std::string_view list);

// Returns the words of a list without meanings.
std::vector<std::string> guess_words(std::string_view list);

// True if a list of words without meanings contains the word.
bool is_guess(std::string_view list, std::string_view word);

}  // namespace attn
