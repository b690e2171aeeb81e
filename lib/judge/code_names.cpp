#include "judge/code_names.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <set>
#include <string>
#include <utility>

namespace attn {

std::size_t find_word(std::string_view text, std::string_view word, std::size_t from) {
    const auto is_letter = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    for (std::size_t at = text.find(word, from); at != std::string::npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end]))) {
            return at;
        }
    }
    return std::string::npos;
}

std::size_t words_in_common(std::string_view line, std::string_view other) {
    const auto words_of = [](std::string_view text) {
        std::set<std::string> words;
        std::string word;
        for (const char c : std::string(text) + " ") {
            if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
                word += c;
            } else if (!word.empty()) {
                words.insert(std::exchange(word, ""));
            }
        }
        return words;
    };
    const std::set<std::string> words = words_of(other);
    const std::set<std::string> all = words_of(line);
    return static_cast<std::size_t>(
        std::ranges::count_if(all, [&](const std::string& word) { return words.contains(word); }));
}

}  // namespace attn
