// The completion for bash. `--option=value` arrives there as three words.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "shell/candidates.hpp"
#include "shell/generate.hpp"

namespace attn {

namespace {

constexpr std::string_view bash_pattern =
    R"(# Completion of attn-walkthrough for bash. Made by: attn-walkthrough --generate complete-bash
_attn_walkthrough_steps() {{
    local word steps=
    for word in "$@"; do
        case $word in
{steps}        esac
    done
    printf '%s' "${{steps:-{all_steps}}}"
}}

_attn_walkthrough() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}
    if [[ $current == = ]]; then
        current=
    elif [[ $previous == = ]]; then
        previous=${{COMP_WORDS[COMP_CWORD - 2]}}
    fi
    COMPREPLY=()
    case $previous in
{options}    esac
    if [[ $current == -* ]]; then
        COMPREPLY=($(compgen -W "{names}" -- "$current"))
    else
        COMPREPLY=($(compgen -W "{stages}" -- "$current"))
    fi
}}

complete -F _attn_walkthrough attn-walkthrough
)";

std::string action(const Candidates& candidates) {
    if (candidates.files) {
        return "compopt -o default; ";
    }
    const std::string words = candidates.steps ? "$(_attn_walkthrough_steps \"${COMP_WORDS[@]}\")"
                                               : fmt::format("{}", fmt::join(candidates.words, " "));
    return words.empty() ? "" : fmt::format("COMPREPLY=($(compgen -W \"{}\" -- \"$current\")); ", words);
}

}  // namespace

std::string bash_completion() {
    std::string steps;
    const std::vector<StageSteps> stages = step_candidates();
    for (const auto& [stage, names] : stages) {
        steps += fmt::format("        {}) steps+=\" {}\" ;;\n", stage, fmt::join(names, " "));
    }
    std::string options;
    std::vector<std::string> names;
    for (const OptionRow& row : option_table()) {
        names.push_back(fmt::format("--{}", row.name));
        if (!row.value.empty()) {
            options += fmt::format("    --{}) {}return ;;\n", row.name, action(candidates_of(row)));
        }
    }
    return fmt::format(bash_pattern, fmt::arg("steps", steps), fmt::arg("all_steps", all_steps(stages)),
                       fmt::arg("options", options), fmt::arg("names", fmt::join(names, " ")),
                       fmt::arg("stages", fmt::join(stage_candidates(), " ")));
}

}  // namespace attn
