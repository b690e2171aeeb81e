#include "commands/declared.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "commands/declare.hpp"
#include "text/ascii.hpp"

namespace attn {

std::vector<DeclaredOption> declared_options(const Command& command) {
    std::vector<DeclaredOption> found;
    for (const CLI::Option* option : std::as_const(*command.app).get_options()) {
        const bool is_help =
            option == command.app->get_help_ptr() || option == command.app->get_help_all_ptr();
        if (option->get_lnames().empty() || is_help) {
            continue;
        }
        const bool is_switch = option->get_expected_max() == 0;
        found.push_back({"--" + option->get_lnames().front(), is_switch ? "" : option->get_type_name(),
                         option->get_description(), option->get_group(), option->get_expected_max() > 1});
    }
    return found;
}

std::vector<std::string> declared_groups(const Command& command) {
    std::vector<std::string> groups;
    for (const DeclaredOption& option : declared_options(command)) {
        if (std::ranges::find(groups, option.group) == groups.end()) {
            groups.push_back(option.group);
        }
    }
    // Of std::ranges, clang 14 with the library of gcc 12 compiles none that returns a subrange.
    std::stable_partition(groups.begin(), groups.end(),
                          [](const std::string& group) { return group != rare; });
    return groups;
}

std::string invocation(const DeclaredOption& option) {
    return option.name + (option.type.empty() ? "" : " " + option.type);
}

std::vector<std::string> literal_values(const DeclaredOption& option) {
    std::vector<std::string> words = CLI::detail::split(option.type, '|');
    std::erase_if(words, [](const std::string& word) {
        return word.empty() || word == "-" || std::ranges::any_of(word, is_upper);
    });
    return words;
}

}  // namespace attn
