#include <vector>

#include "commands/walk.hpp"

namespace attn {

Command compare_command();
Command explain_command();
Command diagnose_command();
Command quiz_command();
Command exercises_command();
Command grade_command();
Command list_command();
Command errata_command();
Command help_command();
Command completion_command();
Command man_command();
Command version_command();
Command complete_command();
Command form_command();
Command page_command();

std::span<const Command> all_commands() {
    static const std::vector<Command> all{
        walk_command(),    compare_command(),   explain_command(),    diagnose_command(),
        quiz_command(),    exercises_command(), grade_command(),      list_command(),
        errata_command(),  help_command(),      completion_command(), man_command(),
        version_command(), complete_command(),  form_command(),       page_command()};
    return all;
}

}  // namespace attn
