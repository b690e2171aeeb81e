// Written by hand rather than by CLI11, so that examples come first and the text is the same with every
// CLI11.
#include "help.hpp"

#include <fmt/format.h>

#include "views/narration.hpp"
#include "walkthrough/catalogue.hpp"

namespace attn {

namespace {

constexpr std::string_view examples = R"(Examples:
  attn-walkthrough causal                       every tensor of causal attention, as PyTorch prints it
  attn-walkthrough causal --seed 123 --compare  held against the documents' printed tables
  attn-walkthrough causal --json trace.json     the same for programs
)";

struct OptionHelp {
    std::string_view name, help;
};

constexpr OptionHelp before_parameters[] = {
    {"--stage NAME", "A stage, as naming it alone does; may be repeated; all is every stage"},
    {"--list", "The stages in reading order, and what each adds to the one before"},
    {"--errata", "Where the documents err, and what is right"},
    {"--step NAME", "Only this step; may be repeated"},
    {"--input FILE|-", "Tokens and embeddings as JSON instead of the built-in sentence"},
    {"--focus TOKEN|INDEX", "The query token of row-level steps; default: journey"},
    {"--weights FILE|-", "A PyTorch state_dict as JSON instead of seeded weights"},
};

constexpr OptionHelp after_parameters[] = {
    {"--compare", "Compare with the printed tables that have these parameters"},
    {"--json FILE|-", "Export the trace; with -, standard output holds nothing else"},
    {"--quiet", "Tensors only"},
    {"--precision N", "Digits after the point, as torch.set_printoptions(precision=N)"},
    {"--version", "The version of this program"},
    {"--help", "This help"},
};

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

std::string version_text() {
    return fmt::format("attn-walkthrough {}\n", ATTN_VERSION);
}

std::string short_help_text() {
    return fmt::format("Causal attention step by step, digit for digit as PyTorch prints it.\n\n{}{}\n{}\n{}",
                       usage, examples, stages(), "All options: attn-walkthrough --help\n");
}

std::string help_text() {
    std::string text = fmt::format("{}{}\n{}\nOptions:\n", usage, examples, stages());
    for (const OptionHelp& option : before_parameters) {
        text += line(option.name, option.help);
    }
    for (const ParameterRow& row : parameter_table()) {
        if (!row.option.empty()) {
            const std::string_view space = row.value.empty() ? "" : " ";
            text += line(fmt::format("--{}{}{}", row.option, space, row.value), row.help);
        }
    }
    for (const OptionHelp& option : after_parameters) {
        text += line(option.name, option.help);
    }
    return text +
           "\nExit status: 0 done, and all that was compared agrees; 1 something differs; 2 wrong arguments, "
           "bad\n"
           "data, nothing to compare, or output that could not be written.\n";
}

std::string stage_list() {
    std::string text;
    for (const Stage* stage : catalogue()) {
        const StageWords words = read_narration("en", stage->name);
        text += fmt::format("{:<22} {}\n{:22} document {}\n{:22} adds {}\n", stage->name, words.title, "",
                            stage->documents, "", words.adds);
    }
    return text;
}

}  // namespace attn
