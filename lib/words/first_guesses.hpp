// Words of other programs, of the book and of PyTorch's users, with this program's words for them:
// data/first_guesses.json.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attn {

// Returns the word for a key of one of the table's lists; nothing if there is no such list or key.
std::optional<std::string> guess_entry(std::string_view list, std::string_view key);

// Returns all keys of a list with their words; nothing if there is no such list.
std::vector<std::pair<std::string, std::string>> guess_entries(std::string_view list);

// True if a list of words without meanings contains the word.
bool is_guess(std::string_view list, std::string_view word);

}  // namespace attn
