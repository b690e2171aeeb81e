// Lists the stages in reading order, or the steps of some stages.
#include <fmt/format.h>

#include <optional>

#include "commands/declare.hpp"
#include "commands/help.hpp"
#include "commands/words.hpp"
#include "stages/catalogue.hpp"
#include "terminal.hpp"
#include "text/prose.hpp"
#include "words/documents.hpp"
#include "words/narration.hpp"

namespace attn {

std::string list_of_stages(std::string_view language) {
    static constexpr std::string_view headings[] = {"stages documents", "stages views", "stages onward"};
    const Words phrases(language, "program");
    std::string text;
    std::optional<StageGroup> group;
    for (const Stage* stage : catalogue()) {
        if (group != stage->group) {
            group = stage->group;
            text += fmt::format("{}{}\n", text.empty() ? "" : "\n",
                                phrases(headings[static_cast<std::size_t>(*group)]));
        }
        const Narration words(language, stage->name);
        const auto column = [&](std::string_view name, const std::string& what) {
            return hanging(fmt::format("{:<22} ", name), what, line_columns());
        };
        const std::string book = book_place(stage->name, phrases);
        text += column(stage->name, words.title()) + (book.empty() ? "" : column("", book)) +
                column("", phrases("adds", words.adds()));
    }
    return text;
}

namespace {

ExitCode run_list(Options& options) {
    take_only_stages(options);
    std::string text;
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
        .words = "[STAGE…]",
        .examples = {{"attn-walkthrough list", "all stages, and what each adds"},
                     {"attn-walkthrough list causal", "the steps of one stage"},
                     {"attn-walkthrough list 3.6", "the steps of stages, by section of the book"}},
        .run = run_list,
        .declare = add_general,
    };
}

}  // namespace attn
