// The chosen stages, step by step.
#include "exports.hpp"
#include "make_trace.hpp"
#include "measure.hpp"
#include "tasks.hpp"
#include "terminal.hpp"
#include "views/text/step_text.hpp"

namespace attn {

namespace {

std::string stage_of(const Options& options, const StageTrace& stage) {
    std::optional<HeatmapStyle> heatmaps;
    if (options.heatmap) {
        heatmaps = heatmap_style(options.colour);
    }
    if (!options.quiet) {
        const Narration words(options.language, stage.stage->name);
        return stage_text(stage, words, options.print, heatmaps, options.rows);
    }
    return heatmaps ? heatmaps_text(stage, Words(options.language, "program"), options.print, *heatmaps)
                    : tensors_text(stage, options.print, options.rows);
}

}  // namespace

bool walkthrough(const Options& options) {
    require_targets(options);
    const Trace trace = make_trace(options);
    write_exports(options, trace);
    if (exports_to_standard_output(options)) {
        return true;
    }
    std::string text;
    for (const StageTrace& stage : trace.stages) {
        text += text.empty() ? "" : "\n";
        text += stage_of(options, stage);
    }
    write_standard_output(text);
    for (const StageTrace& stage : trace.stages) {
        if (options.measure && uses(*stage.stage, "measure")) {
            write_standard_output("\n" + measured(stage.parameters, options.language));
        }
    }
    return true;
}

}  // namespace attn
