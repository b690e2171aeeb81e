// The completion for fish: a line per option and per stage.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "shell/candidates.hpp"
#include "shell/generate.hpp"
#include "stages/catalogue.hpp"
#include "words/narration.hpp"

namespace attn {

namespace {

constexpr std::string_view fish_pattern =
    R"(# Completion of attn-walkthrough for fish. Made by: attn-walkthrough --generate complete-fish
function __attn_walkthrough_steps
    set -l steps
    for word in (commandline -opc)
        switch $word
{steps}        end
    end
    test -n "$steps"; or set steps {all_steps}
    printf '%s\n' $steps
end

complete -c attn-walkthrough -f
{lines})";

std::string quoted(std::string_view text) {
    std::string result = "'";
    for (const char c : text) {
        result += std::string_view("'\\").find(c) != std::string_view::npos ? "\\" : "";
        result += c;
    }
    return result + "'";
}

std::string arguments(const OptionRow& row) {
    const Candidates candidates = candidates_of(row);
    if (row.value.empty()) {
        return "";
    }
    if (candidates.files) {
        return " -r -F";
    }
    const std::string words =
        candidates.steps ? "(__attn_walkthrough_steps)" : fmt::format("{}", fmt::join(candidates.words, " "));
    return words.empty() ? " -x" : fmt::format(" -x -a {}", quoted(words));
}

}  // namespace

std::string fish_completion() {
    std::string steps;
    const std::vector<StageSteps> stages = step_candidates();
    for (const auto& [stage, names] : stages) {
        steps += fmt::format("            case {}\n                set -a steps {}\n", stage,
                             fmt::join(names, " "));
    }
    std::string lines = "complete -c attn-walkthrough -a all -d 'Every stage'\n";
    for (const Stage* stage : catalogue()) {
        lines += fmt::format("complete -c attn-walkthrough -a {} -d {}\n", stage->name,
                             quoted(Narration("en", stage->name).title()));
    }
    for (const OptionRow& row : option_table()) {
        lines += fmt::format("complete -c attn-walkthrough -l {}{} -d {}\n", row.name, arguments(row),
                             quoted(row.help));
    }
    return fmt::format(fish_pattern, fmt::arg("steps", steps), fmt::arg("all_steps", all_steps(stages)),
                       fmt::arg("lines", lines));
}

}  // namespace attn
