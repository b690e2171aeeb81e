// Answers the completions of shells: `complete attn-walkthrough WORD…` prints the candidates for the last
// word, one per line, each with a tab and a description. It prints nothing where a file name is expected.
#include <fmt/format.h>

#include <algorithm>

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

void add_values(const CLI::Option& option, const std::vector<std::string>& words, Completions& found) {
    for (const std::string& word : literal_values(option)) {
        found.push_back({word, ""});
    }
    if (type_of(option) == "STAGE") {
        add_stages(found);
    } else if (type_of(option) == "STEP") {
        add_steps_of(words, found);
    }
}

// The words before the last one; bash makes three of --name=value.
Completions candidates_after(Program& program, std::vector<std::string> before, const std::string& current) {
    if (!before.empty() && before.back() == "=") {
        before.pop_back();
    }
    const std::vector<Command*> commands = program.shown();
    const auto is_named = [&](const Command* command) {
        return std::ranges::find(before, command->name) != before.end();
    };
    const auto named = std::ranges::find_if(commands, is_named);
    const Command& command = named == commands.end() ? *commands.front() : **named;
    Completions found;
    for (const CLI::Option* option : declared_options(command)) {
        if (!before.empty() && option->get_name() == before.back() && !type_of(*option).empty()) {
            add_values(*option, before, found);
            return found;
        }
        if (current.starts_with("-")) {
            found.push_back({option->get_name(), option->get_description()});
        }
    }
    if (current.starts_with("-") ||
        (current.empty() && command.words.find("FILE") != std::string_view::npos)) {
        return found;
    }
    add_stages(found);
    if (command.name == "explain") {
        add_steps_of(before, found);
    }
    if (named == commands.end() || command.name == "help") {
        for (const Command* one : commands) {
            found.push_back({std::string(one->name), std::string(one->summary)});
        }
    }
    if (command.name == "completion") {
        for (const std::string& shell : CLI::detail::split(std::string(command.words), '|')) {
            found.push_back({shell, ""});
        }
    }
    return found;
}

// The words of a command line, the program's name first.
ExitCode run_complete(Command& command) {
    std::vector<std::string> before = command.app->remaining();
    if (before.empty()) {
        return ExitCode::agrees;
    }
    std::string current = before.back();
    before.pop_back();
    if (current == "=") {
        current = "";
    }
    std::string prefix;  // --name= where the shell leaves it in one word
    if (const std::size_t sign = current.find('='); current.starts_with("--") && sign != std::string::npos) {
        before.push_back(current.substr(0, sign));
        prefix = current.substr(0, sign + 1);
        current = current.substr(sign + 1);
    }
    std::string text;
    std::vector<std::string> written;
    for (const auto& [word, what] : candidates_after(*command.program, before, current)) {
        if (word.starts_with(current) && std::ranges::find(written, word) == written.end()) {
            written.push_back(word);
            text += fmt::format("{}{}\t{}\n", prefix, word, what);
        }
    }
    write_standard_output(text);
    return ExitCode::agrees;
}

void declare_complete(Command& command) {
    command.app->prefix_command()->fallthrough(false);  // whatever the words look like
}

}  // namespace

Command complete_command() {
    return {.name = "complete",
            .summary = "Say what the last of these words may become.",
            .run = run_complete,
            .declare = declare_complete,
            .is_hidden = true};
}

}  // namespace attn
