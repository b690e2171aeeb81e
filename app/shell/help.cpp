// The help, written by hand rather than by CLI11, so that examples come first and the text is the same with
// every CLI11.
#include "shell/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "files/sink.hpp"
#include "option_table.hpp"
#include "stages/catalogue.hpp"
#include "tasks.hpp"
#include "terminal.hpp"
#include "text/prose.hpp"
#include "text/width.hpp"
#include "words/errata.hpp"
#include "words/narration.hpp"

namespace attn {

namespace {

constexpr Example example_table[] = {
    {"attn-walkthrough causal", "every tensor, digit for digit"},
    {"attn-walkthrough causal --seed 123 --compare", "held against the printed tables"},
    {"attn-walkthrough causal --json trace.json", "the same for programs"},
};

constexpr ExitStatus exit_table[] = {
    {"0", "done, and all that was compared agrees"},
    {"1", "done, and something differs"},
    {"2", "wrong arguments, bad data, nothing to compare, or output that could not be written"},
};

constexpr std::string_view usage = "Usage: attn-walkthrough [STAGE…] [options]\n\n";

// On a narrow terminal the longer names have a line to themselves.
std::size_t name_columns() {
    constexpr std::size_t narrow = 72;
    return help_columns() < narrow ? 17 : 25;
}

// A name, and in a column of its own what it is, in as many lines as that takes. A name that runs into the
// column has a line to itself.
std::string entry(std::string_view name, std::string_view what, std::size_t columns) {
    const std::size_t indent = columns + 4;
    std::string text = fmt::format("  {}", name);
    std::size_t column = display_width(text);
    if (column + 2 > indent) {
        text += '\n';
        column = 0;
    }
    const std::string lines = wrapped(what, help_columns() - indent);
    for (std::size_t from = 0; from < lines.size(); from = lines.find('\n', from) + 1) {
        text += std::string(indent - column, ' ') + lines.substr(from, lines.find('\n', from) + 1 - from);
        column = 0;
    }
    return text;
}

std::string example_entries() {
    std::size_t columns = 0;
    for (const Example& example : examples()) {
        columns = std::max(columns, example.command.size());
    }
    const bool beside = columns + 4 + 30 <= help_columns();
    std::string text = "Examples:\n";
    for (const Example& example : examples()) {
        text += entry(example.command, example.what, beside ? columns : 4);
    }
    return text;
}

std::string stage_entries() {
    std::string text = "Stages:\n";
    for (const Stage* stage : catalogue()) {
        text += entry(stage->name, Narration("en", stage->name).title(), name_columns());
    }
    return text;
}

std::string option_entries() {
    std::string text;
    for (const OptionRow& row : option_table()) {
        if (!row.heading.empty()) {
            text += fmt::format("\n{}:\n", row.heading);
        }
        text += entry(invocation(row), row.help, name_columns());
    }
    return text;
}

}  // namespace

std::span<const Example> examples() {
    return example_table;
}

std::span<const ExitStatus> exit_statuses() {
    return exit_table;
}

bool show_version(const Options&) {
    write_standard_output(fmt::format("attn-walkthrough {}\n", ATTN_VERSION));
    return true;
}

bool show_short_help(const Options&) {
    write_standard_output(fmt::format("{}\n{}{}\n{}\nAll options: attn-walkthrough --help\n",
                                      wrapped(summary, help_columns()), usage, example_entries(),
                                      stage_entries()));
    return true;
}

bool show_help(const Options&) {
    std::string text = fmt::format("{}{}\n{}{}\nExit status:\n", usage, example_entries(), stage_entries(),
                                   option_entries());
    for (const ExitStatus& status : exit_statuses()) {
        text += entry(status.code, status.meaning, 1);
    }
    write_standard_output(text);
    return true;
}

bool show_stages(const Options& options) {
    static constexpr std::string_view headings[] = {"stages documents", "stages views", "stages onward"};
    const Words phrases(options.style.language, "program");
    std::string text;
    std::optional<StageGroup> group;
    for (const Stage* stage : catalogue()) {
        if (group != stage->group) {
            group = stage->group;
            text += fmt::format("{}{}\n", text.empty() ? "" : "\n",
                                phrases(headings[static_cast<std::size_t>(*group)]));
        }
        const Narration words(options.style.language, stage->name);
        text += fmt::format("{:<22} {}\n{:22} {}\n{:22} {}\n", stage->name, words.title(), "",
                            words.follows(), "", phrases("adds", words.adds()));
    }
    write_standard_output(text);
    return true;
}

bool show_errata(const Options& options) {
    std::vector<Erratum> errata = read_errata(options.style.language);
    std::erase_if(errata, [&](const Erratum& erratum) {
        return !options.stages.empty() &&
               std::ranges::find(options.stages, erratum.stage, &Stage::name) == options.stages.end();
    });
    write_standard_output(errata_list(errata, Words(options.style.language, "program")));
    return true;
}

}  // namespace attn
