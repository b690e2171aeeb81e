// The help, laid out from what the commands declare, so that examples come first and it can be translated.
#include <fmt/format.h>

#include <algorithm>

#include "commands/declare.hpp"
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

std::string program_help(const Program& program, std::string_view language) {
    std::vector<Example> commands;
    for (const std::unique_ptr<Command>& command : program.commands()) {
        if (!command->is_hidden) {
            commands.push_back({command->examples.front().command, command->summary});
        }
    }
    return wrapped(translated(program_summary, language), text_columns()) +
           translated("Usage: attn-walkthrough [COMMAND] [STAGE…] [options]", language) + "\n\n" +
           group_heading(translated("Commands, each by an example", language), language) +
           example_entries(commands, language) + "\n" +
           wrapped(translated(
                       "attn-walkthrough help COMMAND shows the options of a command, attn-walkthrough help "
                       "STAGE what a stage is about; attn-walkthrough list names the stages.",
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
    bool has_rare = false;
    for (const std::string& group : declared_groups(command)) {
        if (group == rare && !all) {
            has_rare = true;
            continue;
        }
        text += "\n" + group_heading(translated(group, language), language);
        for (const DeclaredOption& option : declared_options(command)) {
            text += option.group == group
                        ? entry(invocation(option), translated(option.help, language), name_columns())
                        : "";
        }
    }
    return text + (has_rare ? "\n" + wrapped(translated("--help-all shows the rare options, too.", language),
                                             text_columns())
                            : "");
}

ExitCode run_help(const Program& program, Command& command, bool all) {
    const std::string_view language = command.options.style.language;
    std::string text;
    for (const std::string& word : take_stages(command)) {
        const Command* const about = program.find(word);
        if (about == nullptr) {
            fail_unknown(program, word);
        }
        text += (text.empty() ? "" : "\n") + command_help(*about, language, all);
    }
    for (const Stage* stage : command.options.stages) {
        text += (text.empty() ? "" : "\n") + stage_help(*stage, language);
    }
    show(command.options, text.empty() ? program_help(program, language) : text);
    return ExitCode::agrees;
}

}  // namespace

Command& help_about(Program& program, const Command& command, bool is_named, bool all) {
    Command& help = *program.find("help");
    help.options = command.options;
    help.given_words = command.given_words;
    if (command.name != "help" && (is_named || all)) {
        help.given_words = {std::string(command.name)};
    }
    help.run = [&program, &help, all] { return run_help(program, help, all); };
    return help;
}

void add_help(Program& program) {
    Command& command = program.add({
        .name = "help",
        .summary = "Show what a command or a stage does, and its options.",
        .words = "[COMMAND|STAGE…]",
        .examples = {{"attn-walkthrough help", "the commands"},
                     {"attn-walkthrough help diagnose", "a command's options"},
                     {"attn-walkthrough help causal", "a stage, and the parameters it takes"}},
    });
    command.run = [&] { return run_help(program, command, false); };
    add_general(command);
}

}  // namespace attn
