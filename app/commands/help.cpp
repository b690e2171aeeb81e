// The help, laid out from what the commands declare, so that examples come first and it can be translated.
#include <fmt/format.h>

#include <algorithm>

#include "commands/declared.hpp"
#include "commands/stage_help.hpp"
#include "terminal.hpp"
#include "text/prose.hpp"
#include "words/translation.hpp"

namespace attn {

namespace {

// Behind the commands where there is room, otherwise below them.
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

std::string program_help(const std::vector<Command*>& commands, std::string_view language) {
    std::vector<Example> examples;
    for (const Command* command : commands) {
        examples.push_back({command->examples.front().command, command->summary});
    }
    return wrapped(translated(program_summary, language), text_columns()) +
           translated("Usage: attn-walkthrough [COMMAND] [STAGE…] [options]", language) + "\n\n" +
           group_heading(translated("Commands, with an example each", language), language) +
           example_entries(examples, language) + "\n" +
           wrapped(translated("attn-walkthrough help COMMAND shows a command's options, attn-walkthrough "
                              "help STAGE describes a stage, attn-walkthrough list names the stages.",
                              language),
                   text_columns());
}

std::string command_help(const Command& command, std::string_view language, bool all) {
    const bool is_walk = command.name == "walk";
    std::string text = wrapped(translated(command.summary, language), text_columns()) +
                       fmt::format("{} attn-walkthrough {}{}{}\n\n", translated("Usage:", language),
                                   is_walk ? "" : command.name, is_walk ? "" : " ", command.words) +
                       group_heading(translated("Examples", language), language) +
                       example_entries(command.examples, language);
    // The groups in the order they are declared, the rare one last.
    const std::vector<const CLI::Option*> options = declared_options(command);
    std::vector<std::string> groups;
    for (const CLI::Option* option : options) {
        if (option->get_group() != rare && std::ranges::find(groups, option->get_group()) == groups.end()) {
            groups.push_back(option->get_group());
        }
    }
    if (all) {
        groups.emplace_back(rare);
    }
    for (const std::string& group : groups) {
        text += "\n" + group_heading(translated(group, language), language);
        for (const CLI::Option* option : options) {
            text += option->get_group() == group
                        ? entry(invocation(*option), translated(option->get_description(), language),
                                name_columns())
                        : "";
        }
    }
    return text + (all || options.empty()
                       ? ""
                       : "\n" + wrapped(translated("--help-all also shows rarely used options.", language),
                                        text_columns()));
}

ExitCode run_help(Command& command) {
    const std::string_view language = command.options.style.language;
    const std::vector<Command*> commands = command.program->shown();
    std::string text;
    for (const std::string& word : take_stages(command)) {
        const auto about = std::ranges::find(commands, word, &Command::name);
        if (about == commands.end()) {
            fail_unknown(*command.program, word);
        }
        text += (text.empty() ? "" : "\n") + command_help(**about, language, command.options.all_options);
    }
    for (const Stage* stage : command.options.stages) {
        text += (text.empty() ? "" : "\n") + stage_help(*stage, language);
    }
    show(command.options, text.empty() ? program_help(commands, language) : text);
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
        .run = run_help,
        .declare = add_general,
    };
}

}  // namespace attn
