// Options as commands declare them, each with CLI11 and with our messages; those that several commands share
// are declared by one function each.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "commands/command.hpp"
#include "tensor/error.hpp"

namespace attn {

// The group of options that only --help-all shows.
inline constexpr const char* rare = "More";

// The options declared next belong to this group.
void begin_group(Command& command, const std::string& group);

// Gives an option its type, which is how the help shows its value (N, FILE|-, en|zh), and refuses another
// option in place of its value.
CLI::Option* with_type(CLI::Option* option, const std::string& type);

// An option whose value, or values where it is repeatable, go into a variable.
template <typename Value>
CLI::Option* add_value(Command& command, const std::string& name, const std::string& type, Value& value,
                       const std::string& help) {
    return with_type(command.app->add_option(name, value, help), type);
}
// The same, except that a function takes the value, a std::string or, where it is repeatable, a vector.
template <typename Value = std::string>
CLI::Option* add_taken(Command& command, const std::string& name, const std::string& type,
                       const std::function<void(const std::type_identity_t<Value>&)>& take,
                       const std::string& help) {
    return with_type(command.app->add_option_function<Value>(name, take, help), type);
}

// A switch; `!--no-pager` sets the variable to false.
CLI::Option* add_switch(Command& command, const std::string& name, bool& variable, const std::string& help);

// Throws Error unless the text is a whole number in base 10 of this range. CLI11 2.1.2 would read -1 as a
// large number and 010 as an octal one.
std::string checked_whole(const std::string& option, std::uint64_t least, std::uint64_t most,
                          const std::string& text);
// The place of a text among the words of a type such as torch|numpy|cpp. Throws Error for any other text.
std::size_t choice(const std::string& option, const std::string& type, const std::string& text);

template <typename Enum, typename Variable>
CLI::Option* add_choice(Command& command, const std::string& name, const std::string& type,
                        Variable& variable, const std::string& help) {
    const auto take = [=, &variable](const std::string& text) {
        variable = static_cast<Enum>(choice(name, type, text));
    };
    return add_taken(command, name, type, take, help);
}
template <typename Number>
CLI::Option* add_whole(Command& command, const std::string& name, Number& number, std::uint64_t least,
                       std::uint64_t most, const std::string& help) {
    return add_value(command, name, "N", number, help)->transform([=](const std::string& text) {
        return checked_whole(name, least, most, text);
    });
}

// --lang, --color, --no-pager, --threads
void add_general(Command& command);
// --seed, --heads, … and --input, --weights with what belongs to them. `shown` are those that the help shows
// at once.
void add_parameters(Command& command, const std::vector<std::string_view>& shown);
void add_input(Command& command);
// --set
void add_set(Command& command);
// --step
void add_steps(Command& command);
// --precision
void add_precision(Command& command);
// --json FILE|-
void add_json(Command& command, const std::string& help);
// --out FILE, for the walk and for sheets of exercises
void add_out(Command& command, const std::string& help);
// --count and --quiz-seed
void add_questions(Command& command);

// Takes stage names, `all` and sections of the book such as 3.5 from the words of a command line; returns the
// other words.
std::vector<std::string> take_stages(Command& command);
// Throws Error for the first of the words that are left, where a command takes none.
void refuse_words(const Command& command, const std::vector<std::string>& words);
// Takes the stages; no other words may be there.
void take_only_stages(Command& command);
// The one word that is left of them, a file. Throws Error where there is none, or more than one.
std::string take_file(const Command& command, const std::vector<std::string>& words);
// The stage that a command takes where none is named.
void take_stage_unless_given(Options& options, std::string_view name);
// Begins every run of a command: sets threads and checks the files it reads and writes.
void prepare(const Options& options);

// Throws Error with the nearest command or stage.
[[noreturn]] void fail_unknown(Program& program, const std::string& word);

}  // namespace attn
