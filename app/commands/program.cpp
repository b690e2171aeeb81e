#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "commands/declare.hpp"

namespace attn {

Program::Program() : app_(std::make_unique<CLI::App>()) {
    app_->set_help_flag("-h,--help", "This help");
    app_->set_help_all_flag("--help-all", "The same with rare options");
    app_->set_version_flag("--version", "", "The version, what built it, and the instruction set it uses");
    app_->require_subcommand(1);
    app_->allow_extras();
    app_->fallthrough();  // --version stands behind a command, too
    add_walk(*this);
    add_compare(*this);
    add_explain(*this);
    add_diagnose(*this);
    add_quiz(*this);
    add_exercises(*this);
    add_grade(*this);
    add_list(*this);
    add_errata(*this);
    add_help(*this);
    add_completion(*this);
    add_man(*this);
    add_version(*this);
    add_complete(*this);
    add_form(*this);
}

Program::~Program() = default;

Command* Program::find(std::string_view name) const {
    const auto found = std::ranges::find(commands_, name, [](const auto& command) { return command->name; });
    return found == commands_.end() ? nullptr : found->get();
}

Command& Program::add(Command command) {
    Command& added = *commands_.emplace_back(std::make_unique<Command>(std::move(command)));
    added.options.style.language = {};  // until the command line or the environment chooses one
    added.app = app_->add_subcommand(std::string(added.name), std::string(added.summary));
    if (!added.words.empty()) {
        added.app->add_option("words", added.given_words);
    }
    return added;
}

}  // namespace attn
