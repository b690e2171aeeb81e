// One cell: the arithmetic that made its number.
#include <fmt/format.h>

#include "exports.hpp"
#include "files/json_writer.hpp"
#include "make_trace.hpp"
#include "tasks.hpp"
#include "tensor/error.hpp"
#include "views/explain/cell_address.hpp"
#include "views/explain/explanation_json.hpp"
#include "views/explain/explanation_text.hpp"

namespace attn {

bool explain(const Options& options) {
    if (options.stages.size() > 1) {
        throw Error("--explain: a cell belongs to one stage; name just one.");
    }
    if (!options.steps.empty()) {
        throw Error("--explain: the cell names its step; leave --step out.");
    }
    const std::optional<std::string> json_file = json_target(options);
    require_targets(options);
    const Trace trace = make_trace(options);
    const StageTrace& stage = trace.stages.front();
    const auto [node, index] = find_cell(stage, options.cell);
    const Explanations cells = explain(stage.notebook, node, index, options.depth.value_or(1));
    if (json_file) {
        write_target(*json_file, [&](Sink& sink) {
            JsonWriter json([&](std::string_view text) { sink.write(text); });
            write_explanation(json, stage, cells, options.language, options.print);
        });
    }
    if (json_file != "-") {
        write_standard_output(explanation_text(stage, cells, options.language, options.print));
    }
    return true;
}

}  // namespace attn
