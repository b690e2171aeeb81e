#include "judge/code_names.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "text/ascii.hpp"

namespace attn {

std::string weight_role(std::string_view name) {
    if (name.ends_with(".weight")) {
        name.remove_suffix(std::string_view(".weight").size());
    }
    name = name.substr(name.rfind('.') + 1);
    static const std::set<std::string_view> fillers{
        "w",  "weight", "weights", "mat",   "matrix",     "linear", "lin",   "layer", "c",
        "fc", "proj",   "to",      "param", "projection", "dense",  "trans", "my"};
    static const std::map<std::string_view, std::string_view> roles{
        {"query", "W_query"},  {"q", "W_query"},  {"queries", "W_query"}, {"key", "W_key"},
        {"k", "W_key"},        {"keys", "W_key"}, {"value", "W_value"},   {"v", "W_value"},
        {"values", "W_value"}, {"o", "out_proj"}, {"out", "out_proj"},    {"output", "out_proj"}};
    std::string role;
    bool has_filler = false;
    bool is_projection = false;
    for (std::size_t from = 0; from < name.size();) {  // the words of to_q, q_proj, W_query, linearQ
        std::size_t to = from + 1;
        while (to < name.size() && name[to] != '_' && !(is_upper(name[to]) && !is_upper(name[to - 1]))) {
            ++to;
        }
        std::string word(name.substr(from, to - from));
        std::ranges::transform(word, word.begin(), to_lower);
        from = to + (to < name.size() && name[to] == '_' ? 1 : 0);
        is_projection = is_projection || word == "proj";
        if (word.size() > 1 && word[0] == 'w' && roles.contains(std::string_view(word).substr(1))) {  // wq
            word.erase(0, 1);
            has_filler = true;
        }
        const auto found = roles.find(word);
        const bool is_filler = fillers.contains(word);
        if (found == roles.end() ? !is_filler : !role.empty()) {
            return "";
        }
        has_filler = has_filler || is_filler;
        role = found != roles.end() ? std::string(found->second) : role;
    }
    if (role == "out_proj" && !has_filler) {  // `out` is a result
        return "";
    }
    return role.empty() && is_projection ? "out_proj" : role;
}

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
