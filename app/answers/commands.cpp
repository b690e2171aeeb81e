#include <vector>

#include "commands/command.hpp"

namespace attn {

std::span<const Command> all_commands() {
    static const std::vector<Command> all{
        walk_command(),    compare_command(),   explain_command(),    diagnose_command(),
        quiz_command(),    exercises_command(), grade_command(),      list_command(),
        errata_command(),  help_command(),      completion_command(), man_command(),
        version_command(), complete_command(),  form_command(),       page_command()};
    return all;
}

}  // namespace attn
