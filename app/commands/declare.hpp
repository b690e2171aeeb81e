// Options as commands declare them, each with CLI11 and with our messages; those that several commands share
// are declared by one function each.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "commands/command.hpp"

namespace attn {

// The group of options that only --help-all shows; those of no group are not shown.
inline constexpr const char* rare = "More";

// A command's options, declared.
struct Declaration {
    explicit Declaration(const Command& command);
    std::vector<const CLI::Option*> shown() const;

    const Command& command;
    Options options;
    CLI::App app;
};

// N, torch|numpy|cpp; empty for a switch.
std::string type_of(const CLI::Option& option);
// The words a value is one of, `torch|numpy|cpp`: those in lower case.
std::vector<std::string> choices(std::string_view type);

// The options declared next belong to this group.
void begin_group(CLI::App& app, const std::string& group);

// Gives an option its type, which is how the help shows its value (N, FILE|-, en|zh), and refuses another
// option in place of its value.
CLI::Option* typed(CLI::Option* option, const std::string& type);

// An option that goes into a variable, or into several where it is repeatable.
template <typename Value>
CLI::Option* add_value(CLI::App& app, const std::string& name, const std::string& type, Value& value,
                       const std::string& help) {
    return typed(app.add_option(name, value, help), type);
}
// An option that is given to a function, which throws Error for what it refuses.
CLI::Option* add_taken(CLI::App& app, const std::string& name, const std::string& type,
                       const std::function<void(const std::string&)>& take, const std::string& help);

// Throws Error unless the text is a whole number in base 10 of this range. CLI11 2.1.2 would read -1 as a
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

// The place of a text among the words of a type such as torch|numpy|cpp. Throws Error for any other text.
std::size_t choice(const std::string& option, const std::string& type, const std::string& text);
template <typename Enum, typename Variable>
CLI::Option* add_choice(CLI::App& app, const std::string& name, const std::string& type, Variable& variable,
                        const std::string& help) {
    return add_taken(
        app, name, type,
        [=, &variable](const std::string& text) { variable = static_cast<Enum>(choice(name, type, text)); },
        help);
}

// --lang, --color, --no-pager, --threads
void add_general(CLI::App& app, Options& options);
// --seed, --heads, …; `shown` are those that the help shows at once.
void add_parameters(CLI::App& app, Options& options, const std::vector<std::string_view>& shown);
// --input and --weights with what belongs to them; after add_parameters.
void add_input(CLI::App& app, Options& options);
void add_set(CLI::App& app, Options& options);
void add_steps(CLI::App& app, Options& options);
void add_precision(CLI::App& app, Options& options);
void add_json(CLI::App& app, Options& options, const std::string& help);
// --out FILE, for the walk and for sheets of exercises
void add_out(CLI::App& app, Options& options, const std::string& help);
// --count and --quiz-seed
void add_questions(CLI::App& app, Options& options);

}  // namespace attn
