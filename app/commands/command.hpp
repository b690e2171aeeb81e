// A command: a subcommand of CLI11 with its options, and a function that runs it.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "options.hpp"

namespace CLI {
class App;
}

namespace attn {

enum class ExitCode { agrees = 0, differs = 1, trouble = 2 };

// A command line, and what it does.
struct Example {
    std::string_view command;
    std::string_view what;
};

// A command as it is declared. `words` are what stands on its command line besides options.
struct Command {
    std::string_view name;
    std::string_view summary;     // one sentence
    std::string_view words = "";  // as the usage shows them: [STAGE…] FILE|-
    std::vector<Example> examples = {};
    Options options = {};
    std::vector<std::string> given_words = {};
    std::function<ExitCode()> run = nullptr;  // throws Error
    CLI::App* app = nullptr;
    bool is_hidden = false;
};

// All commands of the program, declared on its CLI::App.
class Program {
public:
    Program();
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    CLI::App& app() { return *app_; }
    const std::vector<std::unique_ptr<Command>>& commands() const { return commands_; }
    Command* find(std::string_view name) const;
    // Declares a command; its words and options are added by the caller.
    Command& add(Command command);

private:
    std::unique_ptr<CLI::App> app_;
    std::vector<std::unique_ptr<Command>> commands_;
};

// In the order of the help.
void add_walk(Program& program);
void add_compare(Program& program);
void add_explain(Program& program);
void add_diagnose(Program& program);
void add_quiz(Program& program);
void add_exercises(Program& program);
void add_grade(Program& program);
void add_list(Program& program);
void add_errata(Program& program);
void add_help(Program& program);
void add_completion(Program& program);
void add_man(Program& program);
void add_version(Program& program);
// Hidden: what completions and the page of the browser program ask for.
void add_complete(Program& program);
void add_form(Program& program);

// bash, zsh, fish
std::vector<std::string> shell_names();
// The help command, to be run in place of a command with --help or --help-all; of a command line that names
// none it is the help of its stages, or of the program.
Command& help_about(Program& program, const Command& command, bool is_named, bool all);

}  // namespace attn
