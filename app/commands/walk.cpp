#include "commands/walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <optional>
#include <utility>

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

// Returns the text of a stage, or of this step with --step without a value.
std::string walked_text(const WalkOptions& options, Style style, std::optional<RowWindow> rows,
                        const StageTrace& stage, std::size_t step) {
    const bool is_excerpt = !options.one_by_one && !options.steps.empty() && !options.code;
    if (!options.quiet && !is_excerpt) {
        style.print = without_exponents(stage, style.print);
    }
    const HeatmapStyle colours = heatmap_style(options.colour);
    const SessionStyle session{.heatmaps = options.heatmap ? std::optional(colours) : std::nullopt,
                               .window = rows,
                               .columns = text_columns(),
                               .code_columns = line_columns(),
                               .all_heads = options.all_heads || options.quiet,
                               .colour = colours.colours != ColourDepth::none,
                               .map = !options.no_map,
                               .code = !options.no_code,
                               .extent = is_excerpt           ? Extent::steps
                                         : options.one_by_one ? Extent::one
                                                              : Extent::whole,
                               .step = step};
    return options.quiet && !options.one_by_one ? tensors_text(stage, style, session)
                                                : stage_text(stage, style, session);
}

// Returns false if the run only writes files.
bool shows_text(const WalkOptions& options) {
    return options.exports.empty() ||
           (!exports_to_standard_output(options) && (options.heatmap || options.rows));
}

// Throws Error for an option that only changes the text, if none is shown.
void require_text(const WalkOptions& options) {
    const std::string_view name = shows_text(options) ? ""
                                  : options.no_map    ? "--no-map"
                                  : options.no_code   ? "--no-code"
                                                      : "";
    if (!name.empty()) {
        throw changes_nothing(name, in_quotes(options.exports.front().target));
    }
}

// Names the other stages that have the shown step; empty if there is none.
std::string other_stages(const WalkOptions& options, const StageTrace& shown) {
    const std::string& step = shown.node(shown.shown.front()).name;
    std::vector<std::string_view> names = stages_with(step);
    std::erase(names, shown.stage->name);
    return names.empty()
               ? ""
               : "\n" + paragraph(Words(options.language, "program")("also_in", step, joined(names)));
}

// Takes the first stage that uses all given options, causal if possible; all stages if the run only writes
// files.
void choose_stage(WalkOptions& options) {
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
                       options.rows || options.all_heads || options.no_map || options.no_code;
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

// Returns the rows that --rows names, as a window or by a token; nothing: all.
std::optional<RowWindow> rows_to_show(const std::optional<std::string>& asked, const Lesson& lesson) {
    if (!asked) {
        return std::nullopt;
    }
    const auto window = read_row_window(*asked);
    const auto rows = window ? window : rows_of(*asked, lesson.tokens);
    if (!rows) {
        throw Error(
            "--rows: expected rows such as 2:5, :3 or -2:, or a token, but received {}. The "
            "tokens are {}.",
            in_quotes(*asked), named_tokens(lesson))
            .correcting("--rows", "--rows " + shell_word(lesson.tokens.front()));
    }
    return rows;
}

// In stages that split their features into heads, --head chooses what is shown, and not what is computed.
// Takes and returns this head.
std::optional<std::size_t> take_shown_head(WalkOptions& options) {
    const auto splits = [](const Stage* stage) { return stage->head_layout == HeadLayout::split; };
    if (!options.head || !std::ranges::all_of(options.stages, splits)) {
        return std::nullopt;
    }
    for (const Export& one : options.exports) {
        if (one.format->suffix != ".svg") {
            throw Error("--head: {} has all heads; leave --head out, or write an .svg.", one.format->suffix)
                .correcting("--head", "");
        }
    }
    return std::exchange(options.head, std::nullopt);
}

// Throws Error if the stage does not have the head that --head chooses.
void require_head(std::optional<std::size_t> head, const StageTrace& stage) {
    const std::size_t heads = stage.parameters.num_heads;
    if (head && *head >= heads) {
        throw Error("--head: {} has no head {}; its heads are 0 to {}.", stage.stage->name, *head, heads - 1)
            .correcting("--head", "--head 0");
    }
}

// If one step is written as a picture or a table, and readers usually mean another step by its name, says so:
// in causal, attn_weights are those before the mask.
void mention_usual_step(const WalkOptions& options, const StageTrace& stage) {
    const bool shows_one = std::ranges::any_of(options.exports, [](const Export& one) {
        return one.format->suffix == ".svg" || one.format->suffix == ".csv";
    });
    if (!shows_one || options.steps.size() != 1 || messages_are_plain()) {
        return;
    }
    const std::string& step = options.steps.front();
    const std::string usual = first_guess("steps of " + std::string(stage.stage->name), step);
    const std::optional<std::size_t> id = stage.find(step);
    if (id && !usual.empty() && usual != step) {
        const std::string_view language = options.language;
        const std::string title = Narration(language, stage.stage->name).title({stage, *id});
        std::fputs(fmt::format("attn-walkthrough: {} · {} ·{}\n", step, title,
                               worded(Message(" Did you mean {}?", in_quotes(usual)), language))
                       .c_str(),
                   stderr);
    }
}

// Writes the trace to each file of the options.
void write_files(const WalkOptions& options, const Trace& trace, const Style& style) {
    const auto is_cpp = [](const Export& one) { return one.format->suffix == ".cpp"; };
    Trace in_cpp = std::ranges::any_of(options.exports, is_cpp) ? trace : Trace{};
    for (StageTrace& stage : in_cpp.stages) {
        stage.language = options.code.value_or(Language::cpp);
    }
    const auto trace_of = [&](const Export& one) -> const Trace& { return is_cpp(one) ? in_cpp : trace; };
    for (const Export& one : options.exports) {
        if (one.format->require != nullptr) {
            one.format->require(trace_of(one));
        }
    }
    write_exports(options, [&](const Export& one, const WriteBytes& write) {
        one.format->write(write, trace_of(one), style);
    });
}

}  // namespace

void declare_walk(Declaration& declared, WalkOptions& options) {
    add_steps(declared, options.steps);
    declared.rows.back().without_value = &options.one_by_one;
    declared.rows.back().help = "A step: name, number or 5-8; no value: one by one";
    declared.add({.name = "--rows",
                  .names = Names::token,
                  .type = "A:B|TOKEN",
                  .help = "Print only these rows of each tensor, as x[A:B] in Python, or a token's row",
                  .target = &options.rows});
    declared.add(
        {.name = "--heatmap", .help = "Heat maps instead of printed tensors", .target = &options.heatmap});
    declared.add({.name = "--code",
                  .type = "torch|numpy|cpp",
                  .help = "Language of the code lines; default: the document's",
                  .target = choice<Language>(options.code)});
    declared.add({.name = "--quiet", .help = "Print only the tensors", .target = &options.quiet});
    add_run(declared, options, {"--seed", "--d-out", "--heads", "--dropout", "--qkv-bias", "--backward"});
    add_set(declared, options);
    add_json(declared, options, "Every step, as JSON: .stages[].steps[]");
    add_out(
        declared, options,
        "Output file; the suffix chooses the format: .json .npz .safetensors .html .ipynb .py .cpp .md .tex "
        ".csv .svg; repeatable");
    add_general(declared, options);
    add_precision(declared, options.print);
    declared.add({.name = "--all-heads",
                  .help = "Print every sequence and head of a long stage, not only the first ones",
                  .target = &options.all_heads});
    declared.add({.name = "--no-code",
                  .help = "Leave out the lines of code; texts, formulas and numbers stay",
                  .target = &options.no_code});
    declared.add({.name = "--no-map",
                  .help = "Leave out the line with the main path of the stage",
                  .target = &options.no_map});
}

Trace make_walk(const WalkOptions& options) {
    Trace trace = make_trace(options, options.steps, options.set);
    for (StageTrace& stage : trace.stages) {
        stage.language = options.code.value_or(stage.language);
    }
    return trace;
}

bool take_walk(WalkOptions& options) {
    const bool is_stage_guessed = take_stages_and_steps(options, options.steps);
    if (options.stages.empty()) {
        choose_stage(options);
    }
    if (options.stages.empty()) {
        throw Error("no stage chosen. Name one, such as causal; attn-walkthrough list shows them.")
            .correcting("", "causal");
    }
    return is_stage_guessed;
}

ExitCode run_walk(WalkOptions& options) {
    const bool is_stage_guessed = take_walk(options);
    if (options.one_by_one) {
        require_terminal();
    }
    const Style style{options.language, options.print, take_shown_head(options)};
    require_text(options);
    prepare(options);
    const Trace trace = make_walk(options);
    std::ranges::for_each(trace.stages, [&](const StageTrace& stage) { require_head(style.head, stage); });
    const auto rows = rows_to_show(options.rows, trace.lesson);
    write_files(options, trace, style);
    if (options.is_rehearsal) {
        return ExitCode::agrees;
    }
    mention_usual_step(options, trace.stages.front());
    const auto text_of = [&](const StageTrace& stage, std::size_t step) {
        return walked_text(options, style, rows, stage, step);
    };
    if (options.one_by_one) {
        show_one_by_one(trace, Words(options.language, "program"), text_of);
        return ExitCode::agrees;
    }
    if (!shows_text(options)) {
        return ExitCode::agrees;
    }
    std::string text;
    for (const StageTrace& stage : trace.stages) {
        text += text.empty() ? "" : "\n";
        text += text_of(stage, 0);
    }
    if (is_stage_guessed && !options.quiet && trace.stages.size() == 1) {
        text += other_stages(options, trace.stages.front());
    }
    show(options, text);
    return ExitCode::agrees;
}

Command walk_command() {
    return {
        .name = "walk",
        .summary =
            "Walk through stages of attention, and print every tensor digit for digit as PyTorch does.",
        .words = "[STAGE…]",
        .examples = {{"attn-walkthrough causal", "every tensor, with the line of code that made it"},
                     {"attn-walkthrough causal --step mask --heatmap", "one step, as a heat map"},
                     {"attn-walkthrough causal --out causal.html", "a page to explore in a browser"}},
        .declare = declaring(run_walk, declare_walk),
    };
}

}  // namespace attn
