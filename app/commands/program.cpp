#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>

#include "commands/declare.hpp"

namespace attn {

namespace {

// In the order of the help.
constexpr Command (*makers[])() = {
    walk_command,       compare_command, explain_command, diagnose_command, quiz_command,
    exercises_command,  grade_command,   list_command,    errata_command,   help_command,
    completion_command, man_command,     version_command, complete_command, form_command,
};

void declare(Command& command) {
    if (std::exchange(command.is_declared, true)) {
        return;
    }
    if (!command.words.empty()) {
        const bool takes_stages = command.words.find("STAGE") != std::string_view::npos;
        command.app
            ->add_option(takes_stages ? "words,--stage" : "words", command.given_words,
                         "Stage, the same as its bare name; repeatable; all selects every stage")
            ->type_name("STAGE")
            ->group(rare);
    }
    if (command.declare != nullptr) {
        command.declare(command);
    }
}

}  // namespace

Program::Program() : app_(std::make_unique<CLI::App>()) {
    app_->set_help_flag();
    app_->require_subcommand(1);
    app_->allow_extras();
    app_->fallthrough();  // the flags below stand behind a command, too
    for (const auto make : makers) {
        Command& command = commands_.emplace_back(make());
        command.program = this;
        command.options.style.language = {};  // until the command line or the environment chooses one
        command.app = app_->add_subcommand(std::string(command.name));
        command.app->preparse_callback([&command](std::size_t) { declare(command); });
    }
    // CLI11's own throw, and a static program takes longer for its first exception than for all else.
    app_->add_flag("-h,--help");
    app_->add_flag("--help-all");
    app_->add_flag("--version");
}

Program::~Program() = default;

Command* Program::find(std::string_view name) {
    const auto found = std::ranges::find(commands_, name, &Command::name);
    return found == commands_.end() ? nullptr : &*found;
}

std::vector<Command*> Program::shown() {
    std::vector<Command*> commands;
    for (Command& command : commands_) {
        if (!command.is_hidden) {
            declare(command);
            commands.push_back(&command);
        }
    }
    return commands;
}

}  // namespace attn
