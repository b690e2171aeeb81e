#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "parameters.hpp"
#include "tensor/error.hpp"
#include "text/decimal.hpp"
#include "text/printable.hpp"
#include "text/suggest.hpp"

namespace attn {

namespace {

constexpr std::string_view default_command = "walk";

// True where the argument is an option with a value: the word after it is that value.
bool takes_value(const Program& program, const std::string& argument) {
    return std::ranges::any_of(program.commands(), [&](const std::unique_ptr<Command>& command) {
        const CLI::Option* const option = command->app->get_option_no_throw(argument);
        return option != nullptr && option->get_expected_max() > 0;
    });
}

// The command is the first word that is one, wherever it stands; empty where there is none.
std::string take_command(const Program& program, std::vector<std::string>& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string word = arguments[i];
        if (program.find(word) != nullptr && (i == 0 || !takes_value(program, arguments[i - 1]))) {
            arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i));
            return word;
        }
    }
    return "";
}

// Words behind -- stay words, whatever they look like. CLI11 2.1.2 takes them for options once a word came
// before.
std::vector<std::string> take_plain_words(std::vector<std::string>& arguments) {
    const auto dashes = std::ranges::find(arguments, "--");
    if (dashes == arguments.end()) {
        return {};
    }
    std::vector<std::string> words;
    std::move(dashes + 1, arguments.end(), std::back_inserter(words));
    arguments.erase(dashes, arguments.end());
    return words;
}

// CLI11 2.1.2 would take the next argument for the value of `--name=`.
void require_values(const std::vector<std::string>& arguments) {
    for (const std::string& argument : arguments) {
        if (argument.starts_with("--") && argument.find('=') + 1 == argument.size()) {
            throw Error("{}: a value is missing.", printable(argument.substr(0, argument.size() - 1)));
        }
    }
}

std::string name_of(const CLI::Option& option) {
    return option.get_lnames().empty() ? "" : "--" + option.get_lnames().front();
}

// Which option CLI11 refuses, and why, in our words.
[[noreturn]] void refuse(const Command& command, const CLI::ParseError& error) {
    const std::string_view said = error.what();
    for (const CLI::Option* option : std::as_const(*command.app).get_options()) {
        const std::string name = name_of(*option);
        const auto is_given = [](const CLI::Option* other) { return other->count() > 0; };
        if (option->count() > 0) {
            for (const CLI::Option* needed : option->get_needs()) {
                if (!is_given(needed)) {
                    throw Error("{0} goes with {1}: add it, or leave {0} out.", name, name_of(*needed));
                }
            }
            for (const CLI::Option* excluded : option->get_excludes()) {
                if (is_given(excluded)) {
                    throw Error("{} and {} do not go together: give one of the two.", name,
                                name_of(*excluded));
                }
            }
        }
        if (name.empty()) {
            continue;
        }
        if (option->get_expected_max() == 0 && said.starts_with(name.substr(2) + " was given")) {
            throw Error("{}: takes no value.", name);
        }
        if (!said.starts_with(name)) {
            continue;
        }
        if (option->count() > 1) {
            throw Error("{}: given {} times; once is enough.", name, option->count());
        }
        if (said.size() == name.size() || said[name.size()] == ':') {
            throw Error("{}: a value is missing.", name);
        }
    }
    throw Error(Message::verbatim(printable(said)));
}

Message name_in_sentence(const Command& command) {
    return command.name == default_command ? Message("a walk") : Message::verbatim(command.name);
}

// An option that this command does not have: another's, or nobody's.
[[noreturn]] void fail_unexpected(const Program& program, const Command& command,
                                  const std::string& argument) {
    const std::string name = argument.substr(0, argument.find('='));
    if (!argument.starts_with("-")) {
        throw Error("{} takes no words, and {} is one; leave it out.", command.name, in_quotes(argument));
    }
    std::vector<std::string> names;
    for (const std::unique_ptr<Command>& other : program.commands()) {
        if (other->is_hidden) {
            continue;
        }
        for (const CLI::Option* option : std::as_const(*other->app).get_options()) {
            if (name_of(*option) == name) {
                throw Error("{}: {} has no such option; {} does.", name, name_in_sentence(command),
                            name_in_sentence(*other));
            }
        }
    }
    for (const CLI::Option* option : std::as_const(*command.app).get_options()) {
        if (!name_of(*option).empty()) {
            names.push_back(name_of(*option));
        }
    }
    const std::vector<std::string_view> views(names.begin(), names.end());
    throw Error("there is no option {}.{} See attn-walkthrough help.", in_quotes(name),
                did_you_mean(name, views));
}

// CLI11 leaves over unknown options and negative numbers.
void take_remaining(Program& program, Command& command) {
    for (const std::string& argument : program.app().remaining(true)) {
        double number = 0.0;
        if (command.words.empty() || read_double(argument, number) != argument.size()) {
            fail_unexpected(program, command, argument);
        }
        command.given_words.push_back(argument);
    }
}

void require_one_command(const Program& program, const Command& command) {
    if (command.name == "help" || command.is_hidden) {
        return;
    }
    for (const std::string& word : command.given_words) {
        if (program.find(word) != nullptr) {
            throw Error("{} and {} are two commands: give one of the two.", command.name, word);
        }
    }
}

// The command line without the files it writes, for the sheet of exercises that it made.
std::string command_again(const Command& command) {
    std::string text = "attn-walkthrough";
    const auto add = [&](const std::string& word) { text += " " + word; };
    add(std::string(command.name));
    std::ranges::for_each(command.given_words, [&](const std::string& word) { add(shell_word(word)); });
    for (const CLI::Option* option : std::as_const(*command.app).get_options()) {
        const std::string name = name_of(*option);
        if (name.empty() || option->get_group() == "Files to write") {
            continue;
        }
        for (const std::string& value : option->results()) {
            add(option->get_expected_max() == 0 ? name : name + " " + shell_word(value));
        }
    }
    return text;
}

}  // namespace

bool is_option(const Program& program, const std::string& name) {
    return std::ranges::any_of(program.commands(), [&](const std::unique_ptr<Command>& command) {
        return command->app->get_option_no_throw(name) != nullptr;
    });
}

Command& parse_command_line(Program& program, int argc, const char* const* argv) {
    std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    if (arguments.empty()) {
        return *program.find("help");
    }
    const std::vector<std::string> plain_words = take_plain_words(arguments);
    const std::string named = take_command(program, arguments);
    Command& command = *program.find(named.empty() ? default_command : named);
    require_values(arguments);
    std::ranges::reverse(arguments);  // as CLI11 takes them
    arguments.emplace_back(command.name);
    try {
        program.app().parse(arguments);
    } catch (const CLI::CallForAllHelp&) {
        return help_about(program, command, !named.empty(), true);
    } catch (const CLI::CallForHelp&) {
        return help_about(program, command, !named.empty(), false);
    } catch (const CLI::CallForVersion&) {
        return *program.find("version");
    } catch (const CLI::ParseError& error) {
        refuse(command, error);
    }
    take_remaining(program, command);
    require_one_command(program, command);
    if (command.words.empty() && !plain_words.empty()) {
        fail_unexpected(program, command, plain_words.front());
    }
    command.given_words.insert(command.given_words.end(), plain_words.begin(), plain_words.end());
    command.options.command_again = command_again(command);
    return command;
}

}  // namespace attn
