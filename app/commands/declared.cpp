#include "commands/declared.hpp"

#include <algorithm>

#include "text/ascii.hpp"

namespace attn {

std::vector<const CLI::Option*> declared_options(const Command& command) {
    std::vector<const CLI::Option*> options = std::as_const(*command.app).get_options();
    std::erase_if(options, [](const CLI::Option* option) { return option->get_lnames().empty(); });
    return options;
}

std::string type_of(const CLI::Option& option) {
    return option.get_expected_max() == 0 ? "" : option.get_type_name();
}

std::string invocation(const CLI::Option& option) {
    const std::string type = type_of(option);
    return option.get_name() + (type.empty() ? "" : " " + type);
}

std::vector<std::string> literal_values(const CLI::Option& option) {
    std::vector<std::string> words = CLI::detail::split(type_of(option), '|');
    std::erase_if(words, [](const std::string& word) {
        return word.empty() || word == "-" || std::ranges::any_of(word, is_upper);
    });
    return words;
}

}  // namespace attn
