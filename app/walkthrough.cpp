// The chosen stages, step by step.
#include "exports.hpp"
#include "files/sink.hpp"
#include "make_trace.hpp"
#include "measure.hpp"
#include "tasks.hpp"
#include "tensor/error.hpp"
#include "terminal.hpp"
#include "views/text/step_text.hpp"

namespace attn {

namespace {

std::string stage_of(const Options& options, const StageTrace& stage) {
    const PrintOptions& print = options.style.print;
    std::optional<HeatmapStyle> heatmaps;
    if (options.heatmap) {
        heatmaps = heatmap_style(options.colour);
    }
    if (!options.quiet) {
        const Narration words(options.style.language, stage.stage->name);
        return stage_text(stage, words, print,
                          {.heatmaps = heatmaps,
                           .window = options.rows,
                           .columns = text_columns(),
                           .colour = has_colour(options.colour)});
    }
    return heatmaps ? heatmaps_text(stage, Words(options.style.language, "program"), print, *heatmaps)
                    : tensors_text(stage, print, options.rows);
}

// Files are written in silence, unless something is asked for that only the screen shows.
bool shows_text(const Options& options) {
    return options.exports.empty() ||
           (!exports_to_standard_output(options) && (options.heatmap || options.rows || options.measure));
}

}  // namespace

bool walkthrough(const Options& options) {
    if (options.measure && exports_to_standard_output(options)) {
        throw Error("--measure prints times, and standard output holds the export; give that a file.");
    }
    const Trace trace = make_trace(options);
    write_exports(options, trace);
    if (!shows_text(options)) {
        return true;
    }
    std::string text;
    for (const StageTrace& stage : trace.stages) {
        text += text.empty() ? "" : "\n";
        text += stage_of(options, stage);
    }
    show(options, text);
    for (const StageTrace& stage : trace.stages) {
        if (options.measure && uses(*stage.stage, "sequence_lengths")) {
            write_standard_output("\n" + measured(stage.parameters, options.style.language));
        }
    }
    return true;
}

}  // namespace attn
