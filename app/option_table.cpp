#include "option_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "exports.hpp"
#include "language.hpp"
#include "shell/generate.hpp"
#include "stages/catalogue.hpp"
#include "tasks.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"
#include "text/suggest.hpp"

namespace attn {

namespace {

template <typename Whole = int>
Whole read_whole(std::string_view option, const std::string& text, Whole least, Whole most) {
    Whole number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < least || number > most) {
        throw Error(fmt::format("--{}: expected a whole number from {} to {} but received {}.", option, least,
                                most, in_quotes(text)));
    }
    return number;
}

// How many may be left out, and then what stands behind `--quiz` is a stage.
void read_quiz_count(Options& options, const std::string& text) {
    if (find_stage(text) != nullptr || text == "all") {
        add_stage(options, text);
    } else if (!text.empty()) {
        options.quiz_count = read_whole<std::size_t>("quiz", text, 1, 1000);
    }
}

Language read_code(const std::string& text) {
    for (const Language language : {Language::torch, Language::numpy, Language::cpp}) {
        if (text == name_of(language)) {
            return language;
        }
    }
    throw Error(fmt::format("--code: expected torch, numpy or cpp but received {}.", in_quotes(text)));
}

// A run does one thing.
void choose(Options& options, std::string_view option, Task task) {
    if (!options.task_option.empty()) {
        throw Error(fmt::format("--{} and --{} ask for different things: give one of the two.",
                                options.task_option, option));
    }
    options.task = task;
    options.task_option = option;
}

WhenToColour read_when(const std::string& text) {
    if (text == "auto") {
        return WhenToColour::automatically;
    }
    if (text == "always") {
        return WhenToColour::always;
    }
    if (text == "never") {
        return WhenToColour::never;
    }
    constexpr std::array<std::string_view, 3> names{"auto", "always", "never"};
    throw Error(fmt::format("--color: expected {} but received {}.{}", fmt::join(names, ", "),
                            in_quotes(text), did_you_mean(text, names)));
}

RowWindow read_rows(const std::string& text) {
    const std::optional<RowWindow> window = read_row_window(text);
    if (!window) {
        throw Error(fmt::format("--rows: expected a window such as 2:5, :3 or -2: but received {}.",
                                in_quotes(text)));
    }
    return *window;
}

using Rows = std::vector<OptionRow>;

void add_choice(Rows& rows) {
    rows.push_back({"stage", "NAME", "A stage, as naming it alone does; may be repeated; all is every stage",
                    add_stage, true});
    rows.push_back({"list", "", "The stages in reading order, and what each adds to the one before",
                    [](Options& options, const std::string&) { choose(options, "list", show_stages); }});
    rows.push_back({"errata", "", "Where the documents err, and what is right",
                    [](Options& options, const std::string&) { choose(options, "errata", show_errata); }});
    rows.push_back({"step", "NAME", "Only this step; may be repeated",
                    [](Options& options, const std::string& text) { options.steps.push_back(text); }, true});
}

void add_data(Rows& rows) {
    rows.push_back({"input", "FILE|-",
                    "Tokens and embeddings as JSON, or the latter as .npy, .npz or .safetensors",
                    [](Options& options, const std::string& text) { options.input = text; }, false, true});
    rows.push_back({"focus", "TOKEN|INDEX", "The query token of row-level steps; default: journey",
                    [](Options& options, const std::string& text) { options.focus = text; }, false, true});
    rows.push_back({"weights", "FILE|-",
                    "A state_dict as JSON, .npz or .safetensors instead of seeded weights",
                    [](Options& options, const std::string& text) { options.weights = text; }, false, true});
    rows.push_back({.name = "layer",
                    .value = "N",
                    .help = "The layer to take from a whole model's checkpoint",
                    .read =
                        [](Options& options, const std::string& text) {
                            options.layer = read_whole<std::size_t>("layer", text, 0, 1000);
                        },
                    .goes_with = "weights"});
    rows.push_back({.name = "head",
                    .value = "N",
                    .help = "The head to take from that layer, of --heads or each 64 wide",
                    .read =
                        [](Options& options, const std::string& text) {
                            options.head = read_whole<std::size_t>("head", text, 0, 1000);
                        },
                    .goes_with = "weights"});
    for (const ParameterRow& row : parameter_table()) {
        if (!row.option.empty()) {
            const auto read = [&row](Options& options, const std::string& text) {
                options.parameters.push_back({&row, text});
            };
            rows.push_back({row.option, row.value, row.help, read, false, true});
        }
    }
    rows.push_back({"max-input-bytes", "N",
                    "Read no file larger than this; default: 256 MiB for text, any size for arrays",
                    [](Options& options, const std::string& text) {
                        options.max_input_bytes =
                            read_whole<std::size_t>("max-input-bytes", text, 1, 1'000'000'000'000);
                    }});
}

void add_views(Rows& rows) {
    rows.push_back({"compare", "", "Compare with the printed tables that have these parameters",
                    [](Options& options, const std::string&) { choose(options, "compare", compare); }});
    rows.push_back({"code", "torch|numpy|cpp", "Language of the code lines; default: the document's",
                    [](Options& options, const std::string& text) { options.code = read_code(text); }});
    rows.push_back({"measure", "", "Also how long attention takes here at these --tokens; about 5 seconds",
                    [](Options& options, const std::string&) { options.measure = true; }, false, true});
    rows.push_back(
        {"quiet", "", "Tensors only", [](Options& options, const std::string&) { options.quiet = true; }});
    rows.push_back({"rows", "A:B", "Only these rows of each tensor, as x[A:B] in Python; exports stay whole",
                    [](Options& options, const std::string& text) { options.rows = read_rows(text); }});
    rows.push_back({"heatmap", "", "Heat maps with the numbers in them in place of what print() shows",
                    [](Options& options, const std::string&) { options.heatmap = true; }});
    rows.push_back({"color", "auto|always|never", "Colours of --heatmap; auto: on a terminal that has them",
                    [](Options& options, const std::string& text) { options.colour = read_when(text); }});
    rows.push_back({"precision", "N", "Digits after the point, as torch.set_printoptions(precision=N)",
                    [](Options& options, const std::string& text) {
                        options.print.precision = read_whole("precision", text, 0, 20);
                    }});
    rows.push_back(
        {"lang", "en|zh", "Titles and notes in English or Chinese; default: that of the locale",
         [](Options& options, const std::string& text) { options.language = read_language(text); }});
}

void add_questions(Rows& rows) {
    rows.push_back({"explain", "CELL",
                    "The arithmetic of one cell, such as attn_weights[1][0] or [journey][Your]",
                    [](Options& options, const std::string& text) {
                        choose(options, "explain", explain);
                        options.cell = text;
                    }});
    rows.push_back({.name = "depth",
                    .value = "N",
                    .help = "With --explain: on through N steps, towards the embeddings; default: 1",
                    .read =
                        [](Options& options, const std::string& text) {
                            options.depth = read_whole<std::size_t>("depth", text, 1, 1000);
                        },
                    .goes_with = "explain"});
    rows.push_back({"diagnose", "FILE|-", "What a pasted tensor is, or which mistake made it",
                    [](Options& options, const std::string& text) {
                        choose(options, "diagnose", diagnose);
                        options.pasted = text;
                    }});
    rows.push_back({.name = "as",
                    .value = "STEP",
                    .help = "The step that --diagnose is to take it for",
                    .read = [](Options& options, const std::string& text) { options.as = text; },
                    .goes_with = "diagnose"});
    rows.push_back({.name = "search-seeds",
                    .value = "",
                    .help = "Let --diagnose try every seed from 0 to 10000",
                    .read = [](Options& options, const std::string&) { options.search_seeds = true; },
                    .goes_with = "diagnose"});
    rows.push_back({"quiz", "[N]", "Ask N questions about the stages, 10 unless given; answers are typed",
                    [](Options& options, const std::string& text) {
                        choose(options, "quiz", quiz);
                        read_quiz_count(options, text);
                    }});
    rows.push_back({.name = "quiz-seed",
                    .value = "N",
                    .help = "Which questions --quiz asks; default: 123",
                    .read =
                        [](Options& options, const std::string& text) {
                            options.quiz_seed = read_whole<std::uint64_t>("quiz-seed", text, 0, 4294967295);
                        },
                    .goes_with = "quiz"});
}

void add_exports(Rows& rows) {
    for (const ExportRow& row : export_table()) {
        const auto read = [&row](Options& options, const std::string& text) {
            options.exports.push_back({&row, text});
        };
        rows.push_back({row.name, "FILE|-", row.help, read});
    }
}

void add_about(Rows& rows) {
    rows.push_back({"threads", "N",
                    "How many threads large tensors may take; default: all there are. Same digits",
                    [](Options& options, const std::string& text) {
                        options.threads = static_cast<std::size_t>(read_whole("threads", text, 1, 1024));
                    }});
    rows.push_back(
        {"generate", "WHAT",
         "Completions for a shell (complete-bash, complete-zsh, complete-fish), or the manual page (man)",
         [](Options& options, const std::string& text) {
             choose(options, "generate", read_generated(text));
         }});
    rows.push_back({"version", "", "The version of this program",
                    [](Options& options, const std::string&) { options.task = show_version; }});
    rows.push_back(
        {"help", "", "This help", [](Options& options, const std::string&) { options.task = show_help; }});
}

}  // namespace

void add_stage(Options& options, const std::string& name) {
    if (name == "all") {
        options.all_stages = true;
        return;
    }
    const Stage* const stage = find_stage(name);
    if (stage == nullptr) {
        std::vector<std::string_view> names;
        for (const Stage* one : catalogue()) {
            names.push_back(one->name);
        }
        throw Error(fmt::format("there is no stage {}.{} The stages are: {}.", in_quotes(name),
                                did_you_mean(name, names), fmt::join(names, ", ")));
    }
    if (std::ranges::find(options.stages, stage) == options.stages.end()) {
        options.stages.push_back(stage);
    }
}

std::string invocation(const OptionRow& row) {
    return fmt::format("--{}{}{}", row.name, row.value.empty() ? "" : " ", row.value);
}

const std::vector<OptionRow>& option_table() {
    static const Rows table = [] {
        Rows rows;
        const auto add = [&](std::string_view heading, void (*rows_of)(Rows&)) {
            const std::size_t first = rows.size();
            rows_of(rows);
            for (OptionRow& row : std::span(rows).subspan(first)) {
                row.heading = heading;
            }
        };
        add("What to walk", add_choice);
        add("Numbers", add_data);
        add("What to show", add_views);
        add("What a number is", add_questions);
        add("Files to write", add_exports);
        add("The program itself", add_about);
        return rows;
    }();
    return table;
}

}  // namespace attn
