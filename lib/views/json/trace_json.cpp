#include "views/json/trace_json.hpp"

#include "files/json_writer.hpp"
#include "notebook/render.hpp"
#include "views/document/document.hpp"
#include "words/narration.hpp"

namespace attn {

namespace {

using Layout = JsonWriter::Layout;

void write_strings(JsonWriter& json, std::string_view key, const std::vector<std::string>& texts,
                   Layout layout) {
    json.key(key);
    json.begin_array(layout);
    for (const std::string& text : texts) {
        json.string(text);
    }
    json.end();
}

void write_string(JsonWriter& json, std::string_view key, std::string_view text) {
    json.key(key);
    json.string(text);
}

std::vector<std::string> names(const Notebook& notebook, const std::vector<std::size_t>& nodes) {
    std::vector<std::string> names;
    for (const std::size_t id : nodes) {
        names.push_back(notebook.nodes()[id].name);
    }
    return names;
}

void write_step(JsonWriter& json, const StageTrace& trace, std::size_t id, const Narration& words,
                const PrintOptions& options) {
    const Node& step = trace.node(id);
    json.begin_object();
    write_string(json, "name", step.name);
    write_string(json, "title", words.title({trace, id}));
    write_string(json, "note", words.note({trace, id}));
    write_string(json, "formula", formula_text(equation_of(trace.notebook, id)));
    write_strings(json, "code", step_lines(trace, id), Layout::block);
    write_string(json, "op", step.call.operation->name);
    write_strings(json, "inputs", names(trace.notebook, named_operands(trace.notebook, id)), Layout::line);
    write_strings(json, "axes", step.axes, Layout::line);
    json.key("shape");
    json.begin_array(Layout::line);
    for (const std::size_t size : step.value.shape()) {
        json.integer(size);
    }
    json.end();
    write_string(json, "dtype", "float32");
    json.key("grad_fn");
    if (step.grad_fn.empty() || trace.language != Language::torch) {
        json.null();
    } else {
        json.string(step.grad_fn);
    }
    if (step.gradient_of && trace.language == Language::torch) {
        write_string(json, "autograd", trace.node(*step.gradient_of).name + ".grad");
    }
    if (!step.set.empty()) {
        json.key("set");
        json.begin_array(Layout::line);
        for (const auto& [offset, before] : step.set) {
            const Index index = step.value.index(offset);
            json.begin_array(Layout::line);
            for (std::size_t axis = 0; axis < step.value.rank(); ++axis) {
                json.integer(index[axis]);
            }
            json.end();
        }
        json.end();
    }
    json.key("data");
    json.tensor(step.value);
    write_string(json, "printed", printed(trace, step, options));
    json.end();
}

void write_stage(JsonWriter& json, const StageTrace& trace, const Narration& words,
                 const PrintOptions& options) {
    json.begin_object();
    write_string(json, "name", trace.stage->name);
    write_string(json, "title", words.title());
    write_string(json, "language", name_of(trace.language));
    write_strings(json, "setup", session_setup(trace, options), Layout::block);
    json.key("parameters");
    json.begin_object();
    for (const ParameterRow& row : parameter_table()) {
        if (const std::string value = row.json(trace.parameters); !value.empty()) {
            json.key(row.name);
            json.verbatim(value);
        }
    }
    json.end();
    json.key("steps");
    json.begin_array();
    for (const std::size_t id : trace.shown) {
        write_step(json, trace, id, words, options);
    }
    json.end();
    json.end();
}

}  // namespace

void write_json(const WriteBytes& write, const Trace& trace, const Style& style) {
    JsonWriter json(write);
    json.begin_object();
    write_string(json, "format", "attn-walkthrough/trace");
    json.key("version");
    json.integer(1);
    write_string(json, "program", ATTN_VERSION);
    write_strings(json, "tokens", trace.lesson.tokens, Layout::line);
    json.key("stages");
    json.begin_array();
    for (const StageTrace& stage : trace.stages) {
        write_stage(json, stage, Narration(style.language, stage.stage->name), style.print);
    }
    json.end();
    json.end();
}

}  // namespace attn
