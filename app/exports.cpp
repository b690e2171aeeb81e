#include "exports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "files/json_writer.hpp"
#include "page_variants.hpp"
#include "progress.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"
#include "views/heatmap/heatmap_svg.hpp"
#include "views/json/trace_arrays.hpp"
#include "views/json/trace_json.hpp"
#include "views/page/page.hpp"
#include "words/narration.hpp"

namespace attn {

namespace {

void write_json(Sink& sink, const Options& options, const Trace& trace) {
    JsonWriter json([&](std::string_view text) { sink.write(text); });
    write_trace(json, trace, options.language, options.print);
}

void write_npz(Sink& sink, const Options&, const Trace& trace) {
    write_npz([&](std::string_view bytes) { sink.write(bytes); }, trace);
}

void write_safetensors(Sink& sink, const Options&, const Trace& trace) {
    write_safetensors([&](std::string_view bytes) { sink.write(bytes); }, trace);
}

void require_picture(const Trace& trace) {
    if (trace.stages.size() != 1 || trace.stages.front().shown.size() != 1) {
        throw Error("--svg draws one step of one stage: choose it with --step NAME.");
    }
    const StageTrace& stage = trace.stages.front();
    const Node& step = stage.node(stage.shown.front());
    if (!Heatmap::can_show(step.value)) {
        throw Error(fmt::format("--svg: {} is a single number, which makes no picture.", step.name));
    }
}

void write_svg(Sink& sink, const Options& options, const Trace& trace) {
    const StageTrace& stage = trace.stages.front();
    const std::size_t node = stage.shown.front();
    const Node& step = stage.node(node);
    const Words phrases(options.language, "program");
    const Narration words(options.language, stage.stage->name);
    const Heatmap map(stage.notebook, node, phrases, options.print);
    sink.write(
        heatmap_svg(map, phrases, {step.name, words.title({stage, node}), std::string(options.language)}));
}

void write_html(Sink& sink, const Options& options, const Trace& trace) {
    const std::vector<PageVariant> variants = page_variants(options, trace);
    write_page([&](std::string_view text) { sink.write(text); }, trace, variants, options.language,
               options.print);
}

constexpr ExportRow export_rows[] = {
    {"json", "Export the trace for programs; with -, standard output holds nothing else", write_json},
    {"npz", "Export the tensors for NumPy, as <stage>.<step>", write_npz},
    {"safetensors", "Export the tensors for PyTorch, as <stage>.<step>", write_safetensors},
    {"html", "Export one page for a browser, with every number's arithmetic; needs no network", write_html},
    {"svg", "Draw the one --step chosen as a picture for slides", write_svg, require_picture},
};

}  // namespace

std::span<const ExportRow> export_table() {
    return export_rows;
}

void require_targets(const Options& options) {
    for (auto one = options.exports.begin(); one != options.exports.end(); ++one) {
        for (const auto& input : {options.input, options.weights, options.pasted}) {
            if (input) {
                refuse_to_overwrite(*input, one->target);
            }
        }
        if (leads_to_one_file("-", one->target)) {
            throw Error(printable(one->target) +
                        ": is where standard output goes; give another file to write.");
        }
        for (auto other = options.exports.begin(); other != one; ++other) {
            if (leads_to_one_file(one->target, other->target)) {
                throw Error(fmt::format("--{} and --{} would write one file; give each its own.",
                                        other->row->name, one->row->name));
            }
        }
        require_writable(one->target);
    }
}

void write_target(const std::string& target, const std::function<void(Sink&)>& write) {
    Progress progress;
    Sink sink(target);
    sink.watch([&](std::uint64_t bytes) {
        constexpr std::uint64_t megabyte = 1'000'000;
        progress.report(fmt::format("{}: {} MB written", printable(target), bytes / megabyte));
    });
    write(sink);
    sink.commit();
}

void write_exports(const Options& options, const Trace& trace) {
    for (const Export& one : options.exports) {
        if (one.row->require != nullptr) {
            one.row->require(trace);
        }
    }
    for (const Export& one : options.exports) {
        write_target(one.target, [&](Sink& sink) { one.row->write(sink, options, trace); });
    }
}

bool exports_to_standard_output(const Options& options) {
    return std::ranges::any_of(options.exports, [](const Export& one) { return one.target == "-"; });
}

std::optional<std::string> json_target(const Options& options) {
    std::optional<std::string> target;
    for (const Export& one : options.exports) {
        if (one.row->name != "json") {
            throw Error(fmt::format("--{} exports a walkthrough, which --{} is not; leave one of them out.",
                                    one.row->name, options.task_option));
        }
        target = one.target;
    }
    return target;
}

}  // namespace attn
