// argv → the command it asks for, with its words and options.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "commands/command.hpp"

namespace attn {

struct Declaration;

class CommandLine {
public:
    // Without the program's name. The command is the first word that is one, wherever it stands.
    explicit CommandLine(std::vector<std::string> arguments);
    ~CommandLine();
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;

    // Parses the arguments and runs the command. Throws Error with one clear message.
    ExitCode run();

    // The language of messages: that of --lang even where the rest is refused.
    std::string language() const;

private:
    void parse();
    void take_remaining();
    std::string command_again() const;

    std::vector<std::string> arguments_;
    std::string command_name_;  // empty where none is named
    std::unique_ptr<Declaration> declared_;
};

}  // namespace attn
