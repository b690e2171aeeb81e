// Declares options with CLI11, but with our own error messages. Options that several commands share have a
// function each.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "commands/command.hpp"

namespace attn {

// The group of options that only --help-all shows. Options without a group are hidden.
inline constexpr const char* rare = "More";

// A command with its options declared.
struct Declaration {
    explicit Declaration(const Command& command);
    std::vector<const CLI::Option*> shown() const;

    const Command& command;
    Options options;
    CLI::App app;
};

// Returns the type of an option's value, such as N or torch|numpy|cpp; empty for a switch.
std::string type_of(const CLI::Option& option);
// Returns the possible values of a type such as `torch|numpy|cpp`: its parts in lower case.
std::vector<std::string> choices(std::string_view type);

// Starts a group of options in the help. The options declared next belong to it.
void begin_group(CLI::App& app, const std::string& group);

// Sets the type of an option's value as the help shows it: N, FILE|- or en|zh. The option throws Error if
// another option follows it instead of a value.
CLI::Option* typed(CLI::Option* option, const std::string& type);

// Adds an option that fills a variable, or a list if it is repeatable.
template <typename Value>
CLI::Option* add_value(CLI::App& app, const std::string& name, const std::string& type, Value& value,
                       const std::string& help) {
    return typed(app.add_option(name, value, help), type);
}
// Adds an option whose value is passed to a function, which may throw Error.
CLI::Option* add_taken(CLI::App& app, const std::string& name, const std::string& type,
                       const std::function<void(const std::string&)>& take, const std::string& help);

// Throws Error unless the text is a whole number in base 10 in this range. CLI11 2.1.2 would read -1 as a
// large number and 010 as an octal one.
std::string checked_whole(const std::string& option, std::uint64_t least, std::uint64_t most,
                          const std::string& text);
template <typename Number>
CLI::Option* add_whole(CLI::App& app, const std::string& name, Number& number, std::uint64_t least,
                       std::uint64_t most, const std::string& help) {
    return add_value(app, name, "N", number, help)->transform([=](const std::string& text) {
        return checked_whole(name, least, most, text);
    });
}

// Returns the index of a text among the values of a type such as torch|numpy|cpp. Throws Error for other
// texts.
std::size_t choice(const std::string& option, const std::string& type, const std::string& text);
template <typename Enum, typename Variable>
CLI::Option* add_choice(CLI::App& app, const std::string& name, const std::string& type, Variable& variable,
                        const std::string& help) {
    return add_taken(
        app, name, type,
        [=, &variable](const std::string& text) { variable = static_cast<Enum>(choice(name, type, text)); },
        help);
}

// Adds --lang, --color, --no-pager and --threads.
void add_general(CLI::App& app, Options& options);
// Adds --seed, --heads and so on; the short help shows only those in `shown`.
void add_parameters(CLI::App& app, Options& options, const std::vector<std::string_view>& shown);
// Adds --input, --weights and the options that belong to them; call it after add_parameters.
void add_input(CLI::App& app, Options& options);
void add_set(CLI::App& app, Options& options);
void add_steps(CLI::App& app, Options& options);
void add_precision(CLI::App& app, Options& options);
void add_json(CLI::App& app, Options& options, const std::string& help);
// Adds --out FILE, for runs and for sheets of exercises.
void add_out(CLI::App& app, Options& options, const std::string& help);
// Adds --count and --quiz-seed.
void add_questions(CLI::App& app, Options& options);

}  // namespace attn
