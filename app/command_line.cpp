#include "command_line.hpp"

#include <algorithm>

#include "commands/declare.hpp"
#include "commands/words.hpp"
#include "parameters.hpp"
#include "tensor/error.hpp"
#include "text/ascii.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

std::string take_command(std::vector<std::string>& arguments) {
    const auto found = std::ranges::find_if(
        arguments, [](const std::string& word) { return find_command(word) != nullptr; });
    if (found == arguments.end()) {
        return "";
    }
    const std::string name = *found;
    arguments.erase(found);
    return name;
}

// Rewords CLI11's messages: "--seed: 1 required N missing", "--loss requires --backward" and "--rows excludes
// --heatmap".
[[noreturn]] void refuse(const CLI::ParseError& error) {
    const std::string said = error.what();
    const std::vector<std::string> words = CLI::detail::split(said, ' ');
    if (said.ends_with(" missing")) {
        throw Error("{}: expected {} but received nothing.", CLI::detail::split(said, ':').front(),
                    words[words.size() - 2]);
    }
    if (words.size() == 3 && words[1] == "requires") {
        throw Error("{0} needs {1}; add it, or leave {0} out.", words.front(), words.back());
    }
    if (words.size() == 3 && words[1] == "excludes") {
        throw Error("{} and {} exclude each other; give only one of them.", words.front(), words.back());
    }
    throw Error(Message::verbatim(printable(said)));
}

// Throws Error for an option that this command does not have.
[[noreturn]] void fail_unexpected(const Declaration& declared, const std::string& argument) {
    const std::string name = argument.substr(0, argument.find('='));
    const Command& command = declared.command;
    for (const Command& other : commands()) {
        if (Declaration(other).app.get_option_no_throw(name) != nullptr) {
            throw Error("{}: {} has no such option; {} does.", name, command.name, other.name);
        }
    }
    std::vector<std::string> names;
    for (const Command& other : commands()) {
        names.emplace_back(other.name);  // `list` is suggested for --list
    }
    for (const CLI::Option* option : declared.shown()) {
        names.push_back(option->get_name());
    }
    const std::vector<std::string_view> near(names.begin(), names.end());
    throw Error("there is no option {}.{} See attn-walkthrough help {}.", in_quotes(name),
                suggestion(name, near), command.name);
}

bool is_option(const std::string& argument) {
    return argument.starts_with('-') && argument != "--" && !(argument.size() > 1 && is_digit(argument[1]));
}

}  // namespace

CommandLine::CommandLine(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {
    const std::string usual = arguments_.empty() ? "help" : "walk";
    command_name_ = take_command(arguments_);
    declared_ = std::make_unique<Declaration>(*find_command(command_name_.empty() ? usual : command_name_));
}

CommandLine::~CommandLine() = default;

std::string CommandLine::language() const {
    const CLI::Option* const option = declared_->app.get_option_no_throw("--lang");
    return option == nullptr || option->count() == 0 ? std::string(declared_->options.style.language)
                                                     : option->results().back();
}

void CommandLine::parse() {
    std::vector<std::string> reversed(arguments_.rbegin(),
                                      arguments_.rend());  // CLI11 expects the arguments in reversed order
    try {
        declared_->app.parse(reversed);
    } catch (const CLI::ParseError& error) {
        refuse(error);
    }
}

// Takes the arguments that CLI11 does not recognise: words, negative numbers, and words after "--". Throws
// Error for unknown options.
void CommandLine::take_remaining() {
    const CLI::App& app = declared_->app;
    for (const std::string& argument : app.remaining()) {
        if (!app.get_prefix_command() && is_option(argument)) {
            fail_unexpected(*declared_, argument);
        }
        if (app.get_prefix_command() || argument != "--") {
            declared_->options.words.push_back(argument);
        }
    }
}

// Returns the command line as text, without the files that it writes.
std::string CommandLine::command_again() const {
    std::string text = "attn-walkthrough " + std::string(declared_->command.name);
    for (const CLI::Option* option : std::as_const(declared_->app).get_options()) {
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

ExitCode CommandLine::run() {
    parse();
    Options& options = declared_->options;
    const Command& command = declared_->command;
    if (options.version) {
        return find_command("version")->run(options);
    }
    if (!options.help && !options.all_options) {
        take_remaining();
        options.command_again = command_again();
        return command.run(options);
    }
    // Shows help about the named command; without one, about the named stages or the whole program.
    if (command.name != "help" && (!command_name_.empty() || options.all_options)) {
        options.words = {std::string(command.name)};
    }
    return find_command("help")->run(options);
}

}  // namespace attn
