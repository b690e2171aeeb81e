#include "commands/command.hpp"

#include <algorithm>

namespace attn {

std::span<const Command> commands() {
    static const std::vector<Command> shown{walk_command(),     compare_command(),    explain_command(),
                                            diagnose_command(), quiz_command(),       exercises_command(),
                                            grade_command(),    list_command(),       errata_command(),
                                            help_command(),     completion_command(), man_command()};
    return shown;
}

const Command* find_command(std::string_view name) {
    static const std::vector<Command> hidden{version_command(), complete_command(), form_command(),
                                             page_command()};
    for (const std::span<const Command> some : {commands(), std::span(hidden)}) {
        if (const auto found = std::ranges::find(some, name, &Command::name); found != some.end()) {
            return &*found;
        }
    }
    return nullptr;
}

std::vector<std::string>::const_iterator first_command(const std::vector<std::string>& words) {
    return std::ranges::find_if(words, [](const std::string& word) { return find_command(word) != nullptr; });
}

}  // namespace attn
