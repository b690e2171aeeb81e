// Writes the help from the declarations of commands. The help of CLI11 cannot be translated, and has no
// examples at the top.
#include <fmt/format.h>

#include <algorithm>

#include "answers/help.hpp"
#include "commands/declare.hpp"
#include "commands/words.hpp"
#include "terminal.hpp"
#include "text/lists.hpp"
#include "words/translation.hpp"

namespace attn {

namespace {

// Descriptions stand to the right of the commands if there is room, otherwise below.
std::string example_entries(const std::vector<Example>& examples, std::string_view language) {
    std::size_t columns = 0;
    for (const Example& one : examples) {
        columns = std::max(columns, one.command.size());
    }
    constexpr std::size_t least_room = 34;
    columns = columns + least_room <= text_columns() ? columns : 4;
    std::string text;
    for (const Example& one : examples) {
        text += entry(one.command, translated(one.what, language), columns);
    }
    return text;
}

std::string program_help(std::string_view language) {
    std::vector<Example> examples;
    for (const Command& command : commands()) {
        examples.push_back({command.examples.front().command, command.summary});
    }
    return paragraph(
               translated("Causal attention step by step, digit for digit as PyTorch prints it.", language)) +
           translated("Usage: attn-walkthrough [COMMAND] [STAGE…] [options]", language) + "\n\n" +
           group_heading(translated("Commands, with an example each", language), language) +
           example_entries(examples, language) + "\n" +
           paragraph(
               translated("attn-walkthrough help COMMAND shows the options of a command, attn-walkthrough "
                          "help STAGE describes a stage, and attn-walkthrough list shows all stages.",
                          language));
}

}  // namespace

std::string command_help(const Command& command, std::string_view language, bool all) {
    const std::string usage = command.name == "walk" ? "" : std::string(command.name) + " ";
    std::string text =
        paragraph(translated(command.summary, language)) +
        fmt::format("{} attn-walkthrough {}{}\n\n", translated("Usage:", language), usage, command.words) +
        group_heading(translated("Examples", language), language) +
        example_entries(command.examples, language);
    // The groups are in the order of declaration, that of rare options last.
    const Declaration declared(command);
    std::vector<std::pair<std::string, std::string>> groups;
    std::string rarely;
    for (const OptionRow* option : declared.shown()) {
        const std::string line = entry(option->name + (option->type.empty() ? "" : " ") + option->type,
                                       translated(option->help, language), name_columns());
        const auto group =
            std::ranges::find(groups, option->group, &std::pair<std::string, std::string>::first);
        if (option->group == rare) {
            rarely += line;
        } else if (group == groups.end()) {
            groups.emplace_back(option->group, line);
        } else {
            group->second += line;
        }
    }
    if (all && !rarely.empty()) {
        groups.emplace_back(rare, rarely);
    }
    for (const auto& [group, lines] : groups) {
        text += "\n" + group_heading(translated(group, language), language) + lines;
    }
    const bool has_more = !all && !rarely.empty();
    return text + (has_more
                       ? "\n" + paragraph(translated("--help-all also shows rarely used options.", language))
                       : "");
}

namespace {

ExitCode run_help(Options& options) {
    const std::string_view language = options.language;
    std::vector<std::string> parts;
    for (const std::string& word : take_stages(options)) {
        const Command* const about = find_command(word);
        if (about == nullptr) {
            fail_unknown(word);
        }
        parts.push_back(command_help(*about, language, options.all_options));
    }
    for (const Stage* stage : options.stages) {
        parts.push_back(stage_help(*stage, language));
    }
    show(options, parts.empty() ? program_help(language) : joined(parts, "\n"));
    return ExitCode::agrees;
}

}  // namespace

Command help_command() {
    return {
        .name = "help",
        .summary = "Show the help of a command or a stage.",
        .words = "[COMMAND|STAGE…]",
        .examples = {{"attn-walkthrough help", "the commands"},
                     {"attn-walkthrough help diagnose", "a command's options"},
                     {"attn-walkthrough help causal", "a stage, and the parameters it takes"}},
        .declare = declaring(run_help, add_general),
    };
}

}  // namespace attn
