// The completion for zsh: a function for its _arguments, to be sourced or put on $fpath.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "shell/candidates.hpp"
#include "shell/generate.hpp"

namespace attn {

namespace {

constexpr std::string_view zsh_pattern = R"(#compdef attn-walkthrough
# Completion of attn-walkthrough for zsh. Made by: attn-walkthrough --generate complete-zsh
_attn_walkthrough_steps() {{
    local word
    local -aU steps
    for word in $words; do
        case $word in
{steps}        esac
    done
    (( $#steps )) || steps=({all_steps})
    compadd -a steps
}}

_attn-walkthrough() {{
    _arguments -S \
{options}        '*:stage:({stages})'
}}

if [[ $funcstack[1] == _attn-walkthrough ]]; then
    _attn-walkthrough "$@"
else
    compdef _attn-walkthrough attn-walkthrough
fi
)";

// What _arguments takes as signs of its own, and the quote around it all.
std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '\'') {
            result += "'\\''";
        } else {
            result += std::string_view("\\[]:").find(c) == std::string_view::npos ? "" : "\\";
            result += c;
        }
    }
    return result;
}

std::string action(const OptionRow& row) {
    const Candidates candidates = candidates_of(row);
    const std::string values = candidates.files   ? "_files"
                               : candidates.steps ? "_attn_walkthrough_steps"
                               : candidates.words.empty()
                                   ? " "
                                   : fmt::format("({})", fmt::join(candidates.words, " "));
    return fmt::format(":{}:{}", escaped(row.value), values);
}

}  // namespace

std::string zsh_completion() {
    std::string steps;
    const std::vector<StageSteps> stages = step_candidates();
    for (const auto& [stage, names] : stages) {
        steps += fmt::format("        {}) steps+=({}) ;;\n", stage, fmt::join(names, " "));
    }
    std::string options;
    for (const OptionRow& row : option_table()) {
        const bool takes_value = !row.value.empty();
        options += fmt::format("        '{}--{}{}[{}]{}' \\\n", row.repeatable ? "*" : "", row.name,
                               takes_value ? "=" : "", escaped(row.help), takes_value ? action(row) : "");
    }
    return fmt::format(zsh_pattern, fmt::arg("steps", steps), fmt::arg("all_steps", all_steps(stages)),
                       fmt::arg("options", options), fmt::arg("stages", fmt::join(stage_candidates(), " ")));
}

}  // namespace attn
