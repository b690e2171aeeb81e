// Completions of command lines: a script for each shell, which asks the program itself.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "commands/declare.hpp"
#include "files/sink.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

struct Shell {
    std::string_view name;
    std::string_view script;
};

constexpr Shell shells[] = {
    {"bash", R"(# Completion of attn-walkthrough for bash, made by: attn-walkthrough completion bash
_attn_walkthrough() {
    local IFS=$'\n'
    COMPREPLY=($("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1))
}
complete -o default -F _attn_walkthrough attn-walkthrough
)"},
    {"zsh", R"(#compdef attn-walkthrough
# Completion of attn-walkthrough for zsh, made by: attn-walkthrough completion zsh
_attn_walkthrough() {
    local word what
    local -a found
    "${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null | while IFS=$'\t' read -r word what; do
        found+=("${word//:/\\:}:$what")
    done
    if (( ${#found} )); then
        _describe -V attn-walkthrough found
    else
        _files
    fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _attn_walkthrough "$@"
else
    compdef _attn_walkthrough attn-walkthrough
fi
)"},
    {"fish", R"(# Completion of attn-walkthrough for fish, made by: attn-walkthrough completion fish
function __attn_walkthrough
    set -l words (commandline -opc) (commandline -ct)
    set -l found ($words[1] complete -- $words[2..-1] 2>/dev/null)
    if test -n "$found"
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c attn-walkthrough -f -a '(__attn_walkthrough)'
)"},
};

ExitCode run_completion(const Command& command) {
    const std::string names = fmt::format("{}", fmt::join(shell_names(), ", "));
    if (command.given_words.size() != 1) {
        throw Error("completion: name a shell: {}.", names);
    }
    const auto* const shell = std::ranges::find(shells, command.given_words.front(), &Shell::name);
    if (shell == std::end(shells)) {
        throw Error("completion: expected {} but received {}.", names,
                    in_quotes(command.given_words.front()));
    }
    write_standard_output(shell->script);
    return ExitCode::agrees;
}

}  // namespace

std::vector<std::string> shell_names() {
    std::vector<std::string> names;
    for (const Shell& shell : shells) {
        names.emplace_back(shell.name);
    }
    return names;
}

void add_completion(Program& program) {
    Command& command = program.add({
        .name = "completion",
        .summary = "Print the completion of command lines for a shell.",
        .words = "bash|zsh|fish",
        .examples = {{"attn-walkthrough completion bash", "source it in ~/.bashrc"},
                     {"attn-walkthrough completion zsh", "as _attn-walkthrough in a folder of $fpath"},
                     {"attn-walkthrough completion fish", "in ~/.config/fish/completions"}},
    });
    command.run = [&] { return run_completion(command); };
}

}  // namespace attn
