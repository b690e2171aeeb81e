// One cell: the arithmetic that made its number.
#include <fmt/format.h>

#include "exports.hpp"
#include "make_trace.hpp"
#include "tasks.hpp"
#include "tensor/error.hpp"
#include "terminal.hpp"
#include "views/explain/cell_address.hpp"
#include "views/explain/explanation_json.hpp"
#include "views/explain/explanation_text.hpp"

namespace attn {

namespace {

CellAddress cell_of(const StageTrace& stage, const std::string& address) {
    try {
        return find_cell(stage, address);
    } catch (const Error& error) {
        throw Error(fmt::format("--explain: {}", error.what()));
    }
}

}  // namespace

bool explain(const Options& options) {
    if (options.stages.size() > 1) {
        throw Error("--explain: a cell belongs to one stage; name just one.");
    }
    const Trace trace = make_trace(options);
    const StageTrace& stage = trace.stages.front();
    const Style& style = options.style;
    const auto [node, index] = cell_of(stage, options.cell);
    const Explanations cells = explain(stage.notebook, node, index, options.depth);
    write_exports(options, [&](JsonWriter& json) {
        write_explanation(json, stage, cells, style.language, style.print);
    });
    if (!exports_to_standard_output(options)) {
        show(options, explanation_text(stage, cells, style.language, style.print));
    }
    return true;
}

}  // namespace attn
