#include "stages/weight_names.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "text/ascii.hpp"
#include "text/lists.hpp"
#include "text/split.hpp"

namespace attn {

namespace {

// The words for roles. The first one that a name contains counts.
constexpr std::pair<std::string_view, char> role_words[] = {
    {"query_key_value", 'f'}, {"qkv", 'f'},       {"kqv", 'f'}, {"c_attn", 'f'},
    {"in_proj", 'f'},         {"key_value", 'p'}, {"kv", 'p'},  {"queries", 'q'},
    {"query", 'q'},           {"keys", 'k'},      {"key", 'k'}, {"values", 'v'},
    {"value", 'v'},
};

// Returns linear_q for linearQ.
std::string in_snake_case(std::string_view name) {
    std::string snake;
    for (const char c : name) {
        if (is_upper(c) && !snake.empty() && (is_lower(snake.back()) || is_digit(snake.back()))) {
            snake += '_';
        }
        snake += c;
    }
    return lowered(snake);
}

}  // namespace

std::optional<RoleName> role_in(std::string_view name) {
    std::string text = in_snake_case(name);
    for (const auto& [word, role] : role_words) {
        const std::size_t at = text.rfind(word);
        if (at != std::string::npos && !(role == 'p' && contains(text, "cache"))) {
            return RoleName{role, text.replace(at, word.size(), "*")};
        }
    }
    for (std::size_t to = text.size(), from = 0; to > 0; to = from > 0 ? from - 1 : 0) {
        from = text.find_last_of("._", to - 1) + 1;
        const std::size_t letter = to - from == 2 && is_one_of(text[from], "wx") ? 1 : 0;
        if (to - from == letter + 1 && is_one_of(text[from + letter], roles)) {
            const char role = text[from + letter];
            return RoleName{role, text.replace(from + letter, 1, "*")};
        }
    }
    return std::nullopt;
}

std::string_view usual_weight_name(std::string_view name) {
    static const std::set<std::string_view> fillers{
        "w",     "w*", "wo",   "wout", "weight", "weights",    "mat",   "matrix", "linear", "lin",
        "layer", "fc", "proj", "to",   "param",  "projection", "dense", "trans",  "my",     "c"};
    static const std::set<std::string_view> outputs{"o", "out", "output", "wo", "wout", "proj"};
    if (name.ends_with(".weight") || name.ends_with(".bias")) {
        name = name.substr(0, name.rfind('.'));
    }
    name = name.substr(name.rfind('.') + 1);
    const RoleName found = role_in(name).value_or(RoleName{'o', in_snake_case(name)});
    bool is_output = false;
    bool has_filler = false;  // `out` is a result
    for (const std::string_view word : split(found.stem, "_")) {
        const bool says_output = found.role == 'o' && outputs.contains(word);
        if (word != "*" && !says_output && !fillers.contains(word)) {
            return "";
        }
        is_output = is_output || says_output;
        has_filler = has_filler || fillers.contains(word);
    }
    const std::size_t role = roles.find(found.role);
    return role < roles.size() ? weight_names.at(role) : is_output && has_filler ? "out_proj" : "";
}

std::string_view projected_by(std::string_view weight) {
    constexpr std::array<std::string_view, roles.size() + 1> results{"queries", "keys", "values", ""};
    return results.at(std::size_t(std::ranges::find(weight_names, weight) - weight_names.begin()));
}

}  // namespace attn
