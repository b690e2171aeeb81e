// Completes command lines for shells: `complete attn-walkthrough WORD…` prints the candidates for the last
// word, one per line, each with a tab and a description. It prints nothing where a file name is expected.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "commands/declare.hpp"
#include "stages/catalogue.hpp"
#include "stages/shipped.hpp"
#include "stages/trace.hpp"
#include "terminal.hpp"
#include "text/lists.hpp"
#include "words/narration.hpp"

namespace attn {

namespace {

using Completions = std::map<std::string, std::string>;  // word → description

void add_stages(Completions& found) {
    for (const Stage* stage : catalogue()) {
        found.emplace(stage->name, Narration("en", stage->name).title());
    }
    found.emplace("all", "every stage");
}

// Adds the steps of the stages among the words, or of all stages.
void add_steps_of(const std::vector<std::string>& words, Completions& found) {
    const auto is_named = [&](const Stage* stage) { return contains(words, stage->name); };
    const bool any = std::ranges::any_of(catalogue(), is_named);
    const Lesson lesson = built_in_lesson();
    for (const Stage* stage : catalogue()) {
        if (!any || is_named(stage)) {
            const StageTrace trace = walk(*stage, lesson, stage->defaults);
            for (const std::size_t step : trace.steps) {
                found.emplace(trace.node(step).name, stage->name);
            }
        }
    }
}

void add_choices(std::string_view type, Completions& found) {
    for (const std::string& word : choices(type)) {
        found.emplace(word, "");
    }
}

// Returns candidates for the word that follows `before`.
Completions candidates_after(const std::vector<std::string>& before, bool for_option) {
    const auto named = first_command(before);
    const Declaration declared(*find_command(named == before.end() ? "walk" : *named));
    Completions found;
    const OptionRow* const option = before.empty() ? nullptr : declared.find(before.back());
    if (option != nullptr && !option->type.empty()) {
        add_choices(option->type, found);
        if (option->names == Names::stage) {
            add_stages(found);
        } else if (option->names == Names::step) {
            add_steps_of(before, found);
        }
        return found;
    }
    if (for_option) {
        for (const OptionRow* one : declared.shown()) {
            found.emplace(one->name, one->help);
        }
        return found;
    }
    add_choices(declared.command.words, found);
    add_stages(found);
    if (declared.command.name == "explain") {
        add_steps_of(before, found);
    }
    if (named == before.end() || declared.command.name == "help") {
        for (const Command& one : commands()) {
            found.emplace(one.name, one.summary);
        }
    }
    return found;
}

// Takes the words of a command line; the first is the program's name. bash splits --name=value into three
// words.
ExitCode run_complete(Options& options) {
    std::vector<std::string> before = options.words;
    if (before.empty()) {
        return ExitCode::agrees;
    }
    const std::string current = before.back() == "=" ? "" : before.back();
    before.pop_back();
    std::erase(before, "=");
    std::string text;
    for (const auto& [word, what] : candidates_after(before, current.starts_with('-'))) {
        text += word.starts_with(current) ? fmt::format("{}\t{}\n", word, what) : "";
    }
    write_answer(options, text);
    return ExitCode::agrees;
}

void declare_complete(Declaration& declared, Options& /*options*/) {
    declared.takes_any_words = true;
}

}  // namespace

Command complete_command() {
    return {.name = "complete",
            .summary = "Say what the last of these words may become.",
            .declare = declaring(run_complete, declare_complete)};
}

}  // namespace attn
