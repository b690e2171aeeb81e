// The help, written by hand rather than by CLI11, so that examples come first and the text is the same with
// every CLI11.
#include "shell/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "files/sink.hpp"
#include "option_table.hpp"
#include "stages/catalogue.hpp"
#include "stages/shipped.hpp"
#include "stages/trace.hpp"
#include "tasks.hpp"
#include "tensor/levels.hpp"
#include "terminal.hpp"
#include "text/prose.hpp"
#include "text/width.hpp"
#include "words/documents.hpp"
#include "words/errata.hpp"
#include "words/narration.hpp"
#include "words/translation.hpp"

namespace attn {

namespace {

constexpr Example example_table[] = {
    {"attn-walkthrough causal", "every tensor, digit for digit"},
    {"attn-walkthrough causal --seed 123 --compare", "held against the printed tables"},
    {"attn-walkthrough causal --explain keys[1][0]", "the arithmetic of one number"},
    {"attn-walkthrough --diagnose mine.txt", "why a tensor of yours differs"},
    {"attn-walkthrough causal --html causal.html", "a page to explore in a browser"},
};

constexpr ExitStatus exit_table[] = {
    {"0", "done, and all that was compared agrees"},
    {"1", "done, and something differs"},
    {"2", "wrong arguments, bad data, nothing to compare, or output that could not be written"},
};

constexpr std::string_view usage = "Usage: attn-walkthrough [STAGE…] [options]";

// On a narrow terminal the longer names have a line to themselves.
std::size_t name_columns() {
    constexpr std::size_t narrow = 72;
    return text_columns() < narrow ? 17 : 25;
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
    const std::string lines = wrapped(what, text_columns() - indent);
    for (std::size_t from = 0; from < lines.size(); from = lines.find('\n', from) + 1) {
        text += std::string(indent - column, ' ') + lines.substr(from, lines.find('\n', from) + 1 - from);
        column = 0;
    }
    return text;
}

// With the colon of its language.
std::string heading(std::string_view text, std::string_view language) {
    return Words(language, "program")("heading", text) + "\n";
}

// Behind the commands where there is room, otherwise below them.
std::size_t example_columns() {
    std::size_t columns = 0;
    for (const Example& example : examples()) {
        columns = std::max(columns, example.command.size());
    }
    return columns + 4 + 30 <= text_columns() ? columns : 4;
}

std::string command_entries(std::string_view heading, std::span<const Example> commands,
                            std::string_view language) {
    std::string text = translated(heading, language) + "\n";
    for (const Example& one : commands) {
        text += entry(one.command, translated(one.what, language), example_columns());
    }
    return text;
}

std::string stage_entries(std::string_view language) {
    std::string text = translated("Stages:", language) + "\n";
    for (const Stage* stage : catalogue()) {
        text += entry(stage->name, Narration(language, stage->name).title(), name_columns());
    }
    return text;
}

std::string option_entries(std::string_view language) {
    std::string text;
    for (const OptionRow& row : option_table()) {
        if (!row.heading.empty()) {
            text += "\n" + heading(translated(row.heading, language), language);
        }
        text += entry(invocation(row), translated(row.help, language), name_columns());
    }
    return text;
}

constexpr Example more_table[] = {
    {"attn-walkthrough --list", "all stages, and what they follow"},
    {"attn-walkthrough causal --quiz", "questions about one"},
    {"attn-walkthrough --help [STAGE]", "all options, or a stage's"},
};

std::string stage_heading(const Stage& stage, std::string_view language) {
    return fmt::format("{} · {}\n", stage.name, Narration(language, stage.name).title());
}

// What is shown without options.
std::string step_entries(const Stage& stage, std::string_view language) {
    const Lesson lesson = built_in_lesson();
    const StageTrace trace = walk(stage, lesson, stage.defaults);
    const Narration words(language, stage.name);
    std::string text;
    for (const std::size_t id : trace.steps) {
        text += entry(trace.node(id).name, words.title({trace, id}), name_columns());
    }
    return text;
}

std::string stage_help(const Stage& stage, std::string_view language) {
    const Lesson lesson = built_in_lesson();
    const Narration words(language, stage.name);
    const Words phrases(language, "program");
    std::string text = stage_heading(stage, language) +
                       wrapped(words.intro({walk(stage, lesson, stage.defaults)}), text_columns()) + "\n" +
                       wrapped(phrases("follows", words.follows()), text_columns());
    if (const std::string sections = book_sections(stage.name); !sections.empty()) {
        text += wrapped(phrases("in_the_book", sections), text_columns());
    }
    text += "\n" + heading(phrases("steps"), language) + step_entries(stage, language) + "\n" +
            heading(phrases("options"), language);
    for (const OptionRow& row : option_table()) {
        text += row.of_stages && uses(stage, setting_name(row))
                    ? entry(invocation(row), translated(row.help, language), name_columns())
                    : "";
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
    write_standard_output(fmt::format("attn-walkthrough {}\n{}, running at level {}\n", ATTN_VERSION,
                                      ATTN_BUILD, level_name(level())));
    return true;
}

bool show_short_help(const Options& options) {
    const std::string_view language = options.style.language;
    write_standard_output(
        fmt::format("{}{}\n\n{}\n{}", wrapped(translated(summary, language), text_columns()),
                    translated(usage, language), command_entries("Examples:", example_table, language),
                    command_entries("More:", more_table, language)));
    return true;
}

bool show_help(const Options& options) {
    const std::string_view language = options.style.language;
    if (!options.stages.empty()) {
        std::string text;
        for (const Stage* stage : options.stages) {
            text += (text.empty() ? "" : "\n") + stage_help(*stage, language);
        }
        show(options, text);
        return true;
    }
    std::string text =
        fmt::format("{}\n\n{}\n{}{}\n{}\n", translated(usage, language),
                    command_entries("Examples:", example_table, language), stage_entries(language),
                    option_entries(language), translated("Exit status:", language));
    for (const ExitStatus& status : exit_statuses()) {
        text += entry(status.code, translated(status.meaning, language), 1);
    }
    show(options, text);
    return true;
}

bool show_stages(const Options& options) {
    static constexpr std::string_view headings[] = {"stages documents", "stages views", "stages onward"};
    const std::string_view language = options.style.language;
    const Words phrases(language, "program");
    std::string text;
    for (const Stage* stage : options.stages) {
        text += (text.empty() ? "" : "\n") + stage_heading(*stage, language) + step_entries(*stage, language);
    }
    if (!text.empty()) {
        show(options, text);
        return true;
    }
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
        text += column(stage->name, words.title()) + column("", words.follows()) +
                column("", phrases("adds", words.adds()));
    }
    show(options, text + "\n" + document_entries(documents(), phrases, line_columns()));
    return true;
}

bool show_errata(const Options& options) {
    std::vector<Erratum> errata = read_errata(options.style.language);
    std::erase_if(errata, [&](const Erratum& erratum) {
        return !options.stages.empty() &&
               std::ranges::find(options.stages, erratum.stage, &Stage::name) == options.stages.end();
    });
    show(options, errata_list(errata, Words(options.style.language, "program"), text_columns()));
    return true;
}

}  // namespace attn
