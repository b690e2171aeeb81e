// Runs the chosen stages and shows them step by step.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <optional>
#include <utility>

#include "commands/declare.hpp"
#include "commands/one_by_one.hpp"
#include "commands/words.hpp"
#include "exports.hpp"
#include "make_trace.hpp"
#include "parameters.hpp"
#include "spelling.hpp"
#include "stages/catalogue.hpp"
#include "stages/focus.hpp"
#include "tensor/error.hpp"
#include "terminal.hpp"
#include "text/lists.hpp"
#include "text/printable.hpp"
#include "views/document/document.hpp"
#include "views/text/step_text.hpp"
#include "words/narration.hpp"
#include "words/translation.hpp"

namespace attn {

namespace {

// Returns the text of a stage, or of one of its steps with --step without a value.
std::string walked_text(const Options& options, const StageTrace& stage, std::size_t step = 0) {
    const bool is_excerpt = !options.one_by_one && !options.steps.empty() && !options.code;
    Style style = options.style;
    if (!options.quiet && !is_excerpt) {
        style.print = without_exponents(stage, style.print);
    }
    const HeatmapStyle colours = heatmap_style(options.colour);
    const SessionStyle session{.heatmaps = options.heatmap ? std::optional(colours) : std::nullopt,
                               .window = options.rows,
                               .columns = text_columns(),
                               .code_columns = line_columns(),
                               .all_heads = options.all_heads || options.quiet,
                               .colour = colours.colours != ColourDepth::none,
                               .map = options.map,
                               .code = options.shows_code,
                               .extent = is_excerpt           ? Extent::steps
                                         : options.one_by_one ? Extent::one
                                                              : Extent::whole,
                               .step = step};
    return options.quiet && !options.one_by_one ? tensors_text(stage, style, session)
                                                : stage_text(stage, style, session);
}

// Returns false if the run only writes files.
bool shows_text(const Options& options) {
    return options.exports.empty() ||
           (!exports_to_standard_output(options) && (options.heatmap || options.rows_asked));
}

// Throws Error for an option that only changes the text, if none is shown.
void require_text(const Options& options) {
    const std::string_view name = shows_text(options)   ? ""
                                  : !options.map        ? "--no-map"
                                  : !options.shows_code ? "--no-code"
                                                        : "";
    if (!name.empty()) {
        throw changes_nothing(name, in_quotes(options.exports.front().target));
    }
}

// Names the other stages that have the shown step; empty if there is none.
std::string other_stages(const Options& options, const StageTrace& shown) {
    const std::string& step = shown.node(shown.shown.front()).name;
    std::vector<std::string_view> names = stages_with(step);
    std::erase(names, shown.stage->name);
    return names.empty()
               ? ""
               : "\n" + paragraph(Words(options.style.language, "program")("also_in", step, joined(names)));
}

// Takes the first stage that uses all given options, causal if possible; all stages if the run only writes
// files.
void choose_stage(Options& options) {
    const bool changes = !options.parameters.empty() || options.text || options.input || options.weights ||
                         options.focus || !options.set.empty();
    if (!changes && !options.exports.empty() && !options.heatmap) {
        take_stage_unless_given(options, "all");
        return;
    }
    if (!changes && !options.steps.empty()) {
        const Stage* const stage = stage_with_step(options.steps.front());
        take_stage_unless_given(options, stage == nullptr ? "causal" : stage->name);
        return;
    }
    const bool shows = options.one_by_one || options.heatmap || options.code || options.quiet ||
                       options.rows_asked || options.all_heads || !options.map || !options.shows_code;
    if (!changes && !shows) {
        return;
    }
    if (options.head) {  // --heads then says how many heads the checkpoint has
        take_stage_unless_given(options, "causal");
        return;
    }
    std::vector<const Stage*> stages{find_stage("causal")};
    std::ranges::copy(catalogue(), std::back_inserter(stages));
    const auto found = std::ranges::find_if(stages, [&](const Stage* stage) {
        return std::ranges::all_of(options.parameters,
                                   [&](const Setting& one) { return uses(*stage, one.parameter); }) &&
               (!options.focus || uses(*stage, "focus")) && (!options.weights || uses(*stage, "weights"));
    });
    if (found != stages.end()) {
        options.stages.push_back(*found);
    }
}

// Returns the rows of the tokens that spell a word together, such as the two characters of a Chinese word.
std::optional<RowWindow> rows_of(const std::string& word, const std::vector<std::string>& tokens) {
    for (std::size_t first = 0; first < tokens.size(); ++first) {
        std::string joined;
        for (std::size_t last = first; joined.size() < word.size() && last < tokens.size(); ++last) {
            joined += tokens[last];
            if (joined == word) {
                return RowWindow{std::int64_t(first), std::int64_t(last) + 1};
            }
        }
    }
    return std::nullopt;
}

// Takes the row of the token that --rows names.
void take_row_of_token(Options& options, const Lesson& lesson) {
    if (!options.rows_asked || options.rows) {
        return;
    }
    options.rows = rows_of(*options.rows_asked, lesson.tokens);
    if (!options.rows) {
        throw Error(
            "--rows: expected rows such as 2:5, :3 or -2:, or a token, but received {}. The "
            "tokens are {}.",
            in_quotes(*options.rows_asked), named_tokens(lesson))
            .correcting("--rows", "--rows " + shell_word(lesson.tokens.front()));
    }
}

// In stages that split their features into heads, --head chooses what is shown, and not what is computed.
void take_head(Options& options) {
    const auto splits = [](const Stage* stage) { return stage->head_layout == HeadLayout::split; };
    if (!options.head || !std::ranges::all_of(options.stages, splits)) {
        return;
    }
    for (const Export& one : options.exports) {
        if (one.format->suffix != ".svg") {
            throw Error("--head: {} has all heads; leave --head out, or write an .svg.", one.format->suffix)
                .correcting("--head", "");
        }
    }
    options.style.head = std::exchange(options.head, std::nullopt);
}

// Throws Error if the stage does not have the head that --head chooses.
void require_head(const Options& options, const StageTrace& stage) {
    const std::size_t heads = stage.parameters.num_heads;
    if (options.style.head && *options.style.head >= heads) {
        throw Error("--head: {} has no head {}; its heads are 0 to {}.", stage.stage->name,
                    *options.style.head, heads - 1)
            .correcting("--head", "--head 0");
    }
}

// If one step is written as a picture or a table, and readers usually mean another step by its name, says so:
// in causal, attn_weights are those before the mask.
void mention_usual_step(const Options& options, const StageTrace& stage) {
    const bool shows_one = std::ranges::any_of(options.exports, [](const Export& one) {
        return one.format != nullptr && (one.format->suffix == ".svg" || one.format->suffix == ".csv");
    });
    if (!shows_one || options.steps.size() != 1 || messages_are_plain()) {
        return;
    }
    const std::string& step = options.steps.front();
    const std::string usual = first_guess("steps of " + std::string(stage.stage->name), step);
    const std::optional<std::size_t> id = stage.find(step);
    if (id && !usual.empty() && usual != step) {
        const std::string_view language = options.style.language;
        const std::string title = Narration(language, stage.stage->name).title({stage, *id});
        std::fputs(fmt::format("attn-walkthrough: {} · {} ·{}\n", step, title,
                               worded(Message(" Did you mean {}?", in_quotes(usual)), language))
                       .c_str(),
                   stderr);
    }
}

ExitCode run_walk(Options& options) {
    take_stages_and_steps(options);
    if (options.stages.empty()) {
        choose_stage(options);
    }
    if (options.stages.empty()) {
        throw Error("no stage chosen. Name one, such as causal; attn-walkthrough list shows them.")
            .correcting("", "causal");
    }
    if (options.one_by_one) {
        require_terminal();
    }
    take_head(options);
    require_text(options);
    prepare(options);
    const Trace trace = make_trace(options);
    std::ranges::for_each(trace.stages, [&](const StageTrace& stage) { require_head(options, stage); });
    take_row_of_token(options, trace.lesson);
    write_exports(options, trace);
    if (options.is_rehearsal) {
        return ExitCode::agrees;
    }
    mention_usual_step(options, trace.stages.front());
    if (options.one_by_one) {
        show_one_by_one(
            trace, Words(options.style.language, "program"),
            [&](const StageTrace& stage, std::size_t step) { return walked_text(options, stage, step); });
        return ExitCode::agrees;
    }
    if (!shows_text(options)) {
        return ExitCode::agrees;
    }
    std::string text;
    for (const StageTrace& stage : trace.stages) {
        text += text.empty() ? "" : "\n";
        text += walked_text(options, stage);
    }
    if (options.is_stage_guessed && !options.quiet && trace.stages.size() == 1) {
        text += other_stages(options, trace.stages.front());
    }
    show(options, text);
    return ExitCode::agrees;
}

void declare_walk(Declaration& declared, Options& options) {
    add_steps(declared, options);
    declared.rows.back().without_value = &options.one_by_one;
    declared.rows.back().help = "A step: name, number or 5-8; no value: one by one";
    const auto take_rows = [&options](const std::string& text) {
        options.rows_asked = text;
        options.rows = read_row_window(text);
    };
    declared.add({.name = "--rows",
                  .names = Names::token,
                  .type = "A:B|TOKEN",
                  .help = "Print only these rows of each tensor, as x[A:B] in Python, or a token's row",
                  .target = take_rows});
    declared.add(
        {.name = "--heatmap", .help = "Heat maps instead of printed tensors", .target = &options.heatmap});
    declared.add({.name = "--code",
                  .type = "torch|numpy|cpp",
                  .help = "Language of the code lines; default: the document's",
                  .target = choice<Language>(options.code)});
    declared.add({.name = "--quiet", .help = "Print only the tensors", .target = &options.quiet});
    add_parameters(declared, options,
                   {"--seed", "--d-out", "--heads", "--dropout", "--qkv-bias", "--backward"});
    add_input(declared, options);
    add_set(declared, options);
    add_json(declared, options, "Every step, as JSON: .stages[].steps[]");
    add_out(
        declared, options,
        "Output file; the suffix chooses the format: .json .npz .safetensors .html .ipynb .py .cpp .md .tex "
        ".csv .svg; repeatable");
    add_general(declared, options);
    add_precision(declared, options);
    declared.add({.name = "--all-heads",
                  .help = "Print every sequence and head of a long stage, not only the first ones",
                  .target = &options.all_heads});
    declared.add({.name = "--no-code",
                  .help = "Leave out the lines of code; texts, formulas and numbers stay",
                  .target = [&options](const std::string&) { options.shows_code = false; }});
    declared.add({.name = "--no-map",
                  .help = "Leave out the line with the main path of the stage",
                  .target = [&options](const std::string&) { options.map = false; }});
}

}  // namespace

Command walk_command() {
    return {
        .name = "walk",
        .summary =
            "Walk through stages of attention, and print every tensor digit for digit as PyTorch does.",
        .words = "[STAGE…]",
        .examples = {{"attn-walkthrough causal", "every tensor, with the line of code that made it"},
                     {"attn-walkthrough causal --step mask --heatmap", "one step, as a heat map"},
                     {"attn-walkthrough causal --out causal.html", "a page to explore in a browser"}},
        .run = run_walk,
        .declare = declare_walk,
    };
}

}  // namespace attn
