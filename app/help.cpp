// The program's words about itself. Written by hand rather than by CLI11, so that examples come first and the
// text is the same with every CLI11.
#include <fmt/format.h>

#include <algorithm>

#include "io/sink.hpp"
#include "option_table.hpp"
#include "tasks.hpp"
#include "views/errata.hpp"
#include "views/narration.hpp"
#include "walkthrough/catalogue.hpp"

namespace attn {

namespace {

constexpr std::string_view examples = R"(Examples:
  attn-walkthrough causal                       every tensor of causal attention, as PyTorch prints it
  attn-walkthrough causal --seed 123 --compare  held against the documents' printed tables
  attn-walkthrough causal --json trace.json     the same for programs
)";

std::string line(std::string_view name, std::string_view help) {
    return fmt::format("  {:<27} {}\n", name, help);
}

std::string stages() {
    std::string text = "Stages:\n";
    for (const Stage* stage : catalogue()) {
        text += line(stage->name, read_narration("en", stage->name).title);
    }
    return text;
}

constexpr std::string_view usage = "Usage: attn-walkthrough [STAGE…] [options]\n\n";

}  // namespace

bool show_version(const Options&) {
    write_standard_output(fmt::format("attn-walkthrough {}\n", ATTN_VERSION));
    return true;
}

bool show_short_help(const Options&) {
    write_standard_output(
        fmt::format("Causal attention step by step, digit for digit as PyTorch prints it.\n\n{}{}\n{}\n{}",
                    usage, examples, stages(), "All options: attn-walkthrough --help\n"));
    return true;
}

bool show_help(const Options&) {
    std::string text = fmt::format("{}{}\n{}\nOptions:\n", usage, examples, stages());
    for (const OptionRow& row : option_table()) {
        const std::string_view space = row.value.empty() ? "" : " ";
        text += line(fmt::format("--{}{}{}", row.name, space, row.value), row.help);
    }
    write_standard_output(text +
                          "\nExit status: 0 done, and all that was compared agrees; 1 something differs; 2 "
                          "wrong arguments, bad\ndata, nothing to compare, or output that could not be "
                          "written.\n");
    return true;
}

bool show_stages(const Options& options) {
    const Phrases phrases(options.language);
    std::string text;
    for (const Stage* stage : catalogue()) {
        const StageWords words = read_narration(options.language, stage->name);
        text += fmt::format("{:<22} {}\n{:22} {}\n{:22} {}\n", stage->name, words.title, "",
                            phrases("follows", stage->documents), "", phrases("adds", words.adds));
    }
    write_standard_output(text);
    return true;
}

bool show_errata(const Options& options) {
    std::vector<Erratum> errata = read_errata(options.language);
    std::erase_if(errata, [&](const Erratum& erratum) {
        return !options.stages.empty() &&
               std::ranges::find(options.stages, erratum.stage, &Stage::name) == options.stages.end();
    });
    write_standard_output(errata_list(errata, Phrases(options.language)));
    return true;
}

}  // namespace attn
