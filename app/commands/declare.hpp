// Options as commands declare them, each with CLI11 and with our messages; those that several commands share
// are declared by one function each.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/command.hpp"

namespace attn {

// The group of options that only --help-all shows.
inline constexpr const char* rare = "More";

// An option with a text as its value. `type` is how the help shows the value: N, FILE|-, en|zh.
CLI::Option* add_text(Command& command, const std::string& name, const std::string& type,
                      const std::function<void(const std::string&)>& take, std::string_view help);
// The same for an option that may be given more than once; `take` gets each value.
CLI::Option* add_texts(Command& command, const std::string& name, const std::string& type,
                       const std::function<void(const std::string&)>& take, std::string_view help);
// A switch.
CLI::Option* add_switch(Command& command, const std::string& name, const std::function<void()>& take,
                        std::string_view help);
// A whole number in base 10.
CLI::Option* add_whole(Command& command, const std::string& name, std::uint64_t least, std::uint64_t most,
                       const std::function<void(std::uint64_t)>& take, std::string_view help);
// One of the words of `type`, such as torch|numpy|cpp; `take` gets its place among them.
CLI::Option* add_choice(Command& command, const std::string& name, const std::string& type,
                        const std::function<void(std::size_t)>& take, std::string_view help);

// --lang, --color, --no-pager, --threads
void add_general(Command& command);
// --seed, --heads, … and --input, --weights with what belongs to them. `shown` are those that the help shows
// at once.
void add_parameters(Command& command, const std::vector<std::string_view>& shown);
void add_input(Command& command);
// --set
void add_set(Command& command);
// --step, --stage
void add_steps(Command& command);
void add_stage_option(Command& command);
// --precision
void add_precision(Command& command);
// --json FILE|-
void add_json(Command& command, std::string_view help);
// --out FILE, for the walk and for sheets of exercises
void add_out(Command& command, std::string_view help);
// --count and --quiz-seed
void add_questions(Command& command);

// Takes stage names, `all` and sections of the book such as 3.5 from the words of a command line; returns the
// other words.
std::vector<std::string> take_stages(Command& command);
// The same for a command that takes nothing but stages. Throws Error for an unknown word.
void take_only_stages(const Program& program, Command& command);
// The stage that a command takes where none is named.
void take_stage_unless_given(Options& options, std::string_view name);
// What every run of a command begins with: threads, language, and the files it reads and writes.
void prepare(Command& command);

// Throws Error with the nearest command or stage.
[[noreturn]] void fail_unknown(const Program& program, const std::string& word);

}  // namespace attn
