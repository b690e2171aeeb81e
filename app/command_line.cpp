#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "exports.hpp"
#include "parameters.hpp"
#include "tensor/error.hpp"
#include "text/decimal.hpp"
#include "text/printable.hpp"
#include "text/suggest.hpp"

namespace attn {

namespace {

// The command is the first word that is one, wherever it stands, but not the value of an option; empty where
// there is none.
std::string take_command(Program& program, std::vector<std::string>& arguments) {
    const auto takes_value = [&](const std::string& argument) {
        return argument.starts_with("--") &&
               std::ranges::any_of(program.shown(), [&](const Command* command) {
                   const CLI::Option* const option = command->app->get_option_no_throw(argument);
                   return option != nullptr && option->get_expected_max() > 0;
               });
    };
    for (auto at = arguments.begin(); at != arguments.end(); ++at) {
        if (program.find(*at) != nullptr && (at == arguments.begin() || !takes_value(*(at - 1)))) {
            const std::string name = *at;
            arguments.erase(at);
            return name;
        }
    }
    return "";
}

// Rewords CLI11's refusals, which say "--loss requires --backward", "--rows excludes --heatmap", "quiet was
// given a disallowed flag override", "--seed: At Most 1 required but received 2" and "--seed: 1 required N
// missing".
[[noreturn]] void refuse(const CLI::ParseError& error) {
    const std::string said = error.what();
    const std::vector<std::string> words = CLI::detail::split(said, ' ');
    const std::string option = words.front().substr(0, words.front().find(':'));
    const auto says = [&](const char* part) { return said.find(part) != std::string::npos; };
    if (says(" requires ")) {
        throw Error("{0} needs {1}: add it, or leave {0} out.", option, words.back());
    }
    if (says(" excludes ")) {
        throw Error("{} and {} exclude each other: give one of them.", option, words.back());
    }
    if (says(" flag override")) {
        throw Error("--{}: takes no value.", option);
    }
    if (says(": At Most ")) {
        throw Error("{}: given {} times; once is enough.", option, words.back());
    }
    if (says(" missing")) {
        throw Error("{}: expected {} but received nothing.", option, words[words.size() - 2]);
    }
    throw Error(Message::verbatim(printable(said)));
}

// An option that this command does not have: another's, or nobody's.
[[noreturn]] void fail_unexpected(Program& program, const Command& command, const std::string& argument) {
    const std::string name = argument.substr(0, argument.find('='));
    if (!argument.starts_with("-")) {
        throw Error("{} takes no words; leave {} out.", command.name, in_quotes(argument));
    }
    for (const Command* other : program.shown()) {
        if (other->app->get_option_no_throw(name) != nullptr) {
            throw Error("{}: {} has no such option; {} does.", name, command.name, other->name);
        }
    }
    std::vector<std::string> names;
    for (const CLI::Option* option : std::as_const(*command.app).get_options()) {
        names.push_back(option->get_name());
    }
    const std::vector<std::string_view> views(names.begin(), names.end());
    std::string bare = name;
    bare.erase(0, bare.find_first_not_of('-'));
    std::string meant;
    if (program.find(bare) != nullptr) {  // --list
        meant = bare;
    } else if (format_of_suffix("." + bare) != nullptr) {  // --html
        meant = "--out FILE." + bare;
    }
    std::ranges::replace(bare, '-', '_');
    if (const ParameterOption* const parameter = option_for(bare)) {  // --num-heads, as the book calls it
        meant = parameter->name;
    }
    const Message hint =
        meant.empty() ? did_you_mean(name, views) : Message(" Did you mean {}?", in_quotes(meant));
    throw Error("there is no option {}.{} See attn-walkthrough help {}.", in_quotes(name), hint,
                command.name);
}

// CLI11 leaves over unknown options, negative numbers, and the words after "--".
void take_remaining(Program& program, Command& command) {
    if (command.app->get_prefix_command()) {
        return;
    }
    for (const std::string& argument : program.app().remaining(true)) {
        if (argument == "--") {
            continue;
        }
        double number = 0.0;
        if (command.words.empty() ||
            (argument.starts_with("-") && read_double(argument, number) != argument.size())) {
            fail_unexpected(program, command, argument);
        }
        command.given_words.push_back(argument);
    }
}

// The command line without the files it writes, for the sheet of exercises that it made.
std::string command_again(const Command& command) {
    std::string text = "attn-walkthrough " + std::string(command.name);
    for (const CLI::Option* option : std::as_const(*command.app).get_options()) {
        const std::string name = option->get_positional() ? "" : " " + option->get_name();
        if (option->get_group() == "Files to write") {
            continue;
        }
        for (const std::string& value : option->results()) {
            text += option->get_expected_max() == 0 ? name : name + " " + shell_word(value);
        }
    }
    return text;
}

// --help and --help-all: about the command that is named, otherwise about the stages, or the program.
Command& help_about(Program& program, const Command& command, bool is_named) {
    Command& help = *program.find("help");
    const bool all = program.app().count("--help-all") > 0;
    help.options = command.options;
    help.options.all_options = all;
    help.given_words = command.given_words;
    if (command.name != "help" && (is_named || all)) {
        help.given_words = {std::string(command.name)};
    }
    return help;
}

}  // namespace

std::string given_language(Program& program) {
    for (const CLI::App* command : program.app().get_subcommands()) {
        const CLI::Option* const option = command->get_option_no_throw("--lang");
        if (option != nullptr && option->count() > 0) {
            return option->results().back();
        }
    }
    return "";
}

Command& parse_command_line(Program& program, int argc, const char* const* argv) {
    std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    if (arguments.empty()) {
        return *program.find("help");
    }
    const std::string named = take_command(program, arguments);
    Command& command = *program.find(named.empty() ? "walk" : named);
    std::ranges::reverse(arguments);  // as CLI11 takes them
    arguments.emplace_back(command.name);
    try {
        program.app().parse(arguments);
    } catch (const CLI::ParseError& error) {
        refuse(error);
    }
    if (program.app().count("--version") > 0) {
        return *program.find("version");
    }
    if (program.app().count("--help") + program.app().count("--help-all") > 0) {
        return help_about(program, command, !named.empty());
    }
    take_remaining(program, command);
    for (const std::string& word : command.given_words) {
        if (program.find(word) != nullptr && command.name != "help" && !command.is_hidden) {
            throw Error("{} and {} are both commands: give one of them.", command.name, word);
        }
    }
    command.options.command_again = command_again(command);
    return command;
}

}  // namespace attn
