// argv → a command with its words and options.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "commands/command.hpp"

namespace attn {

struct Declaration;

class CommandLine {
public:
    // Takes the arguments without the program's name. The command is the first word that names one, in any
    // position.
    explicit CommandLine(std::vector<std::string> arguments);
    ~CommandLine();
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;

    // Parses the arguments and runs the command. Throws Error with one clear message.
    ExitCode run();

    // The language of messages: --lang, even if other arguments are refused.
    std::string language() const;

private:
    void parse();
    void take_remaining();
    std::string command_again() const;

    std::vector<std::string> arguments_;
    std::string command_name_;  // empty if none is named
    std::unique_ptr<Declaration> declared_;
};

}  // namespace attn
