// Completions of command lines: a script for each shell, which asks the program itself.
#include "commands/declare.hpp"
#include "files/sink.hpp"

namespace attn {

namespace {

// In the order of the command's words.
constexpr std::string_view scripts[] = {
    R"(# Completion of attn-walkthrough for bash, made by: attn-walkthrough completion bash
_attn_walkthrough() {
    local IFS=$'\n'
    COMPREPLY=($("${COMP_WORDS[0]}" complete "${COMP_WORDS[@]:0:COMP_CWORD+1}" 2>/dev/null | cut -f 1))
}
complete -o default -F _attn_walkthrough attn-walkthrough
)",
    R"(#compdef attn-walkthrough
# Completion of attn-walkthrough for zsh, made by: attn-walkthrough completion zsh
_attn_walkthrough() {
    local word what
    local -a found
    "${words[1]}" complete "${(@)words[1,CURRENT]}" 2>/dev/null | while IFS=$'\t' read -r word what; do
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
)",
    R"(# Completion of attn-walkthrough for fish, made by: attn-walkthrough completion fish
function __attn_walkthrough
    set -l words (commandline -opc) (commandline -ct)
    set -l found ($words[1] complete $words 2>/dev/null)
    if test -n "$found"
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c attn-walkthrough -f -a '(__attn_walkthrough)'
)",
};

ExitCode run_completion(Command& command) {
    const std::string shells(command.words);
    if (command.given_words.size() != 1) {
        throw Error("completion: name a shell: {}.", shells);
    }
    write_standard_output(scripts[choice("completion", shells, command.given_words.front())]);
    return ExitCode::agrees;
}

}  // namespace

Command completion_command() {
    return {
        .name = "completion",
        .summary = "Print the completion script for a shell.",
        .words = "bash|zsh|fish",
        .examples = {{"attn-walkthrough completion bash", "source it in ~/.bashrc"},
                     {"attn-walkthrough completion zsh", "as _attn-walkthrough in a folder of $fpath"},
                     {"attn-walkthrough completion fish", "in ~/.config/fish/completions"}},
        .run = run_completion,
    };
}

}  // namespace attn
