// Answers the completions of shells: `complete -- WORD…` prints what the last word may become, a line each
// with a description behind a tab; nothing where it is a file's name.
#include <fmt/format.h>

#include <algorithm>

#include "commands/declare.hpp"
#include "commands/declared.hpp"
#include "files/sink.hpp"
#include "stages/catalogue.hpp"
#include "stages/shipped.hpp"
#include "stages/trace.hpp"
#include "words/narration.hpp"

namespace attn {

namespace {

struct Completion {
    std::string word;
    std::string what;
};
using Completions = std::vector<Completion>;

void add_stages(Completions& found) {
    for (const Stage* stage : catalogue()) {
        found.push_back({std::string(stage->name), Narration("en", stage->name).title()});
    }
    found.push_back({"all", "every stage"});
}

// The steps of the stages among the words, or of all; those of a bias and of dropout among them.
void add_steps_of(const std::vector<std::string>& words, Completions& found) {
    const auto is_named = [&](const Stage* stage) {
        return std::ranges::find(words, stage->name) != words.end();
    };
    const bool any = std::ranges::any_of(catalogue(), is_named);
    const Lesson lesson = built_in_lesson();
    for (const Stage* stage : catalogue()) {
        if (any && !is_named(stage)) {
            continue;
        }
        Parameters parameters = stage->defaults;
        parameters.qkv_bias = parameters.qkv_bias || uses(*stage, "qkv_bias");
        if (uses(*stage, "dropout") && parameters.dropout == 0.0) {
            parameters.dropout = 0.5;
        }
        const StageTrace trace = walk(*stage, lesson, parameters);
        for (const std::size_t step : trace.steps) {
            found.push_back({trace.node(step).name, std::string(stage->name)});
        }
    }
}

void add_values(const DeclaredOption& option, const std::vector<std::string>& words, Completions& found) {
    for (const std::string& word : literal_values(option)) {
        found.push_back({word, ""});
    }
    if (option.type == "STAGE") {
        add_stages(found);
    } else if (option.type == "STEP") {
        add_steps_of(words, found);
    }
}

// The words before the last one; bash makes three of --name=value.
Completions candidates_after(const Program& program, std::vector<std::string> before,
                             const std::string& current) {
    if (!before.empty() && before.back() == "=") {
        before.pop_back();
    }
    const auto is_command = [&](const std::string& word) { return program.find(word) != nullptr; };
    const auto named = std::ranges::find_if(before, is_command);
    const Command& command = *program.find(named == before.end() ? "walk" : *named);
    Completions found;
    for (const DeclaredOption& option : declared_options(command)) {
        if (!before.empty() && option.name == before.back() && !option.type.empty()) {
            add_values(option, before, found);
            return found;
        }
        if (current.starts_with("-")) {
            found.push_back({option.name, option.help});
        }
    }
    if (current.starts_with("-")) {
        return found;
    }
    if (current.empty() && command.words.find("FILE") != std::string_view::npos) {
        return found;
    }
    add_stages(found);
    if (command.name == "explain") {
        add_steps_of(before, found);
    }
    if (named == before.end() || command.name == "help") {
        for (const std::unique_ptr<Command>& one : program.commands()) {
            if (!one->is_hidden) {
                found.push_back({std::string(one->name), std::string(one->summary)});
            }
        }
    }
    for (const std::string& word :
         command.name == "completion" ? shell_names() : std::vector<std::string>()) {
        found.push_back({word, ""});
    }
    return found;
}

ExitCode run_complete(const Program& program, const Command& command) {
    std::vector<std::string> before = command.given_words;
    std::string current;
    if (!before.empty()) {
        current = before.back() == "=" ? "" : before.back();
        if (before.back() != "=") {
            before.pop_back();
        }
    }
    std::string prefix;  // --name= where the shell leaves it in one word
    if (const std::size_t sign = current.find('='); current.starts_with("--") && sign != std::string::npos) {
        before.push_back(current.substr(0, sign));
        prefix = current.substr(0, sign + 1);
        current = current.substr(sign + 1);
    }
    std::string text;
    std::vector<std::string> written;
    for (const auto& [word, what] : candidates_after(program, before, current)) {
        if (word.starts_with(current) && std::ranges::find(written, word) == written.end()) {
            written.push_back(word);
            text += fmt::format("{}{}\t{}\n", prefix, word, what);
        }
    }
    write_standard_output(text);
    return ExitCode::agrees;
}

}  // namespace

void add_complete(Program& program) {
    Command& command = program.add({.name = "complete",
                                    .summary = "Say what the last of these words may become.",
                                    .words = "-- WORD…",
                                    .is_hidden = true});
    command.run = [&] { return run_complete(program, command); };
}

}  // namespace attn
