// Lists the stages in reading order, or the steps of some stages.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "commands/declare.hpp"
#include "commands/help.hpp"
#include "commands/words.hpp"
#include "stages/catalogue.hpp"
#include "stages/shipped.hpp"
#include "stages/trace.hpp"
#include "terminal.hpp"
#include "text/ascii.hpp"
#include "text/prose.hpp"
#include "words/documents.hpp"
#include "words/narration.hpp"

namespace attn {

std::string list_of_stages(std::string_view language, std::string_view document) {
    static constexpr std::string_view headings[] = {"stages documents", "stages views", "stages onward"};
    const Words phrases(language, "program");
    std::string text;
    std::optional<StageGroup> group;
    for (const Stage* stage : catalogue()) {
        const Narration words(language, stage->name);
        if (words.follows().find(document) == std::string::npos) {
            continue;
        }
        if (group != stage->group) {
            group = stage->group;
            text += fmt::format("{}{}\n", text.empty() ? "" : "\n",
                                phrases(headings[static_cast<std::size_t>(*group)]));
        }
        const auto column = [&](std::string_view name, const std::string& what) {
            return hanging(fmt::format("{:<22} ", name), what, line_columns());
        };
        const std::string book = book_place(stage->name, phrases);
        text += column(stage->name, words.title()) + (book.empty() ? "" : column("", book)) +
                (document.empty() ? "" : column("", phrases("follows", words.follows()))) +
                column("", phrases("adds", words.adds()));
    }
    return text;
}

namespace {

// Lists the steps whose name or title contains a word, and the command that shows each.
std::string steps_about(const std::string& word, std::string_view language) {
    const auto lowered = [](std::string text) {
        std::ranges::transform(text, text.begin(), to_lower);
        return text;
    };
    const Lesson lesson = built_in_lesson();
    std::string text;
    for (const Stage* stage : catalogue()) {
        const StageTrace trace = walk(*stage, lesson, stage->defaults);
        const Narration words(language, stage->name);
        for (const std::size_t id : trace.steps) {
            const std::string& name = trace.node(id).name;
            const std::string title = words.title({trace, id});
            if (lowered(name + " " + title).find(lowered(word)) != std::string::npos) {
                text += hanging(fmt::format("{:<36} ", fmt::format("{} {}", stage->name, name)), title,
                                line_columns());
            }
        }
    }
    return text;
}

ExitCode run_list(Options& options) {
    const std::string_view language = options.style.language;
    std::string text;
    for (const std::string& word : take_stages(options)) {
        const std::vector<std::string> known = documents();
        const bool is_document = std::ranges::find(known, word) != known.end();
        const std::string found =
            is_document ? document_entries(std::span(&word, 1), Words(language, "program"), text_columns()) +
                              list_of_stages(language, word)
                        : steps_about(word, language);
        if (found.empty()) {
            fail_unknown(word);
        }
        text += (text.empty() ? "" : "\n") + found;
    }
    for (const Stage* stage : options.stages) {
        text += (text.empty() ? "" : "\n") + stage_heading(*stage, options.style.language) +
                step_entries(*stage, options.style.language);
    }
    show(options, text.empty() ? list_of_stages(options.style.language) : text);
    return ExitCode::agrees;
}

}  // namespace

Command list_command() {
    return {
        .name = "list",
        .summary = "List the stages in reading order, or the steps of a stage.",
        .words = "[STAGE|DOCUMENT|WORD…]",
        .examples = {{"attn-walkthrough list", "all stages, and what each adds"},
                     {"attn-walkthrough list causal", "the steps of one stage"},
                     {"attn-walkthrough list dropout", "all steps with this word in their name or title"}},
        .run = run_list,
        .declare = add_general,
    };
}

}  // namespace attn
