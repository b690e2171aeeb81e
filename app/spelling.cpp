#include "spelling.hpp"

#include <algorithm>

#include "text/ascii.hpp"
#include "text/split.hpp"
#include "words/first_guesses.hpp"

namespace attn {

namespace {

// Small letters, and - for _.
std::string with_dashes(std::string_view word) {
    std::string small = lowered(word);
    std::ranges::replace(small, '_', '-');
    return small;
}

}  // namespace

std::string plain_spelling(std::string_view word) {
    std::string plain = lowered(word);
    std::erase_if(plain, [](char c) { return is_one_of(c, "-_ "); });
    return plain;
}

std::string usual_name(std::string_view option) {
    std::string usual = with_dashes(option);
    if (usual.size() > 2 && usual[1] != '-') {
        usual.insert(0, "-");
    }
    return usual;
}

std::string_view bare_name(std::string_view option) {
    return option.substr(std::min(option.find_first_not_of('-'), option.size()));
}

std::string suffix_of(std::string_view name) {
    return lowered(name.substr(std::min(name.rfind('.'), name.size())));
}

std::vector<std::string> split_at_blanks(std::string_view text) {
    const std::vector<std::string_view> words = split(text, " ");
    return {words.begin(), words.end()};
}

bool is_option(std::string_view argument) {
    const std::string_view name = bare_name(argument);
    return argument.starts_with('-') && !name.empty() && !is_digit(name[0]) && name[0] != '.';
}

std::string first_guess(std::string_view list, std::string_view word) {
    const bool is_name = list == "stages" || list.starts_with("steps");
    if (is_name) {
        return guess_entry(list, plain_spelling(word)).value_or("");
    }
    return guess_entry(list, bare_name(is_option(word) ? with_dashes(word) : lowered(word))).value_or("");
}

bool chooses_device(std::string_view option) {
    return is_guess("float32 on the CPU", usual_name(option));
}

}  // namespace attn
