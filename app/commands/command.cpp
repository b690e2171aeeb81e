#include "commands/command.hpp"

#include <algorithm>

#include "text/lists.hpp"

namespace attn {

std::span<const Command> commands() {
    const std::span<const Command> all = all_commands();
    return all.first(std::size_t(std::ranges::find(all, "version", &Command::name) - all.begin()));
}

const Command* find_command(std::string_view name) {
    return find_in(all_commands(), name, &Command::name);
}

std::vector<std::string>::const_iterator first_command(const std::vector<std::string>& words) {
    return std::ranges::find_if(words, [](const std::string& word) { return find_command(word) != nullptr; });
}

}  // namespace attn
