// The chosen stages, step by step.
#include "exports.hpp"
#include "make_trace.hpp"
#include "tasks.hpp"
#include "views/step_text.hpp"

namespace attn {

bool walkthrough(const Options& options) {
    const Trace trace = make_trace(options);
    write_exports(options, trace);
    if (exports_to_standard_output(options)) {
        return true;
    }
    std::string text;
    for (const StageTrace& stage : trace.stages) {
        text += text.empty() ? "" : "\n";
        text += options.quiet
                    ? tensors_text(stage, options.print)
                    : stage_text(stage, trace.lesson, read_narration(options.language, stage.stage->name),
                                 options.print);
    }
    write_standard_output(text);
    return true;
}

}  // namespace attn
