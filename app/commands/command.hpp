// A command: a subcommand of CLI11 with its options, and a function that runs it.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "options.hpp"

namespace CLI {
class App;
}

namespace attn {

class Program;

enum class ExitCode { agrees = 0, differs = 1, trouble = 2 };

// A command line, and what it does.
struct Example {
    std::string_view command;
    std::string_view what;
};

// `words` are what stands on its command line besides options.
struct Command {
    std::string_view name;
    std::string_view summary;     // one sentence
    std::string_view words = "";  // as the usage shows them: [STAGE…] FILE|-
    std::vector<Example> examples = {};
    ExitCode (*run)(Command&);            // throws Error
    void (*declare)(Command&) = nullptr;  // its options, with CLI11
    bool is_hidden = false;
    Options options = {};
    std::vector<std::string> given_words = {};
    Program* program = nullptr;
    CLI::App* app = nullptr;
    bool is_declared = false;
};

// All commands of the program, as subcommands of its CLI::App. Options are declared when they are needed:
// declaring those of all commands takes as long as starting the program.
class Program {
public:
    Program();
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    CLI::App& app() { return *app_; }
    // Null where there is none of that name.
    Command* find(std::string_view name);
    // The commands that the help shows, with their options declared.
    std::vector<Command*> shown();

private:
    std::unique_ptr<CLI::App> app_;
    std::deque<Command> commands_;
};

Command walk_command();
Command compare_command();
Command explain_command();
Command diagnose_command();
Command quiz_command();
Command exercises_command();
Command grade_command();
Command list_command();
Command errata_command();
Command help_command();
Command completion_command();
Command man_command();
Command version_command();
// Hidden: what completions and the page of the browser program ask for.
Command complete_command();
Command form_command();

}  // namespace attn
