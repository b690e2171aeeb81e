// Turns the command line into a command with its words and options.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/command.hpp"
#include "tensor/error.hpp"
#include "text/message.hpp"

namespace attn {

class CommandLine {
public:
    // The arguments do not include the program's name. The first word that is the name of a command selects
    // it, in any position.
    explicit CommandLine(std::vector<std::string> arguments);
    ~CommandLine();
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;

    // Parses the arguments and runs the command. Throws Error with one clear message.
    ExitCode run();

    // Returns the language of messages. --lang sets it, even if other arguments are invalid.
    std::string language() const;

    // Returns the name of the option that gives a setting, such as --d-out for d_out.
    std::string option_name(std::string_view setting) const;

    // Returns the command line to type in place of a wrong one, which may be refused in turn. Empty if none
    // is known.
    std::string corrected(const Message::Correction& correction) const;

    // Returns why the command line is refused: by the parser, or by the command, which runs without answering
    // or writing.
    std::optional<Error> refusal();

private:
    class Parser;

    ExitCode run_command();

    std::vector<std::string> read_;       // the arguments in the program's words
    std::vector<std::string> arguments_;  // without the name of the command
    std::string reworded_;                // the command line in the program's words; empty if it was typed so
    std::vector<std::string> without_effect_;  // options that were dropped, because they change nothing
    bool is_chinese_ = false;                  // a word is in Chinese
    bool names_device_ = false;  // an option that was dropped would choose a type of numbers or a device
    std::string command_name_;   // the command's name; empty if the command line names none
    std::unique_ptr<Parser> parser_;
};

}  // namespace attn
