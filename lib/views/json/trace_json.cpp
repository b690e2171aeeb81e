#include "views/json/trace_json.hpp"

#include "files/json_value.hpp"
#include "notebook/render.hpp"
#include "views/document/document.hpp"
#include "views/json/parameters_json.hpp"
#include "words/narration.hpp"

namespace attn {

namespace {

std::vector<std::string> names(const Notebook& notebook, const std::vector<std::size_t>& nodes) {
    std::vector<std::string> names;
    for (const std::size_t id : nodes) {
        names.push_back(notebook.nodes()[id].name);
    }
    return names;
}

Json step_json(const StageTrace& trace, std::size_t id, const Narration& words, const PrintOptions& options) {
    const Node& step = trace.node(id);
    const Shape& shape = step.value.shape();
    Json json{{"name", step.name},
              {"title", words.title({trace, id})},
              {"note", words.note({trace, id})},
              {"formula", formula_text(equation_of(trace.notebook, id))},
              {"code", step_lines(trace, id)},
              {"op", step.call.operation->name},
              {"inputs", names(trace.notebook, named_operands(trace.notebook, id))},
              {"axes", step.axes},
              {"shape", shape},
              {"dtype", "float32"},
              {"grad_fn", nullptr}};
    if (!step.grad_fn.empty() && trace.language == Language::torch) {
        json["grad_fn"] = step.grad_fn;
    }
    if (step.gradient_of && trace.language == Language::torch) {
        json["autograd"] = trace.node(*step.gradient_of).name + ".grad";
    }
    if (!step.shows.empty()) {
        json["shows"] = step.shows;
    }
    for (const auto& [offset, before] : step.set) {
        const Index index = step.value.index(offset);
        json["set"].push_back(std::vector(index.begin(), index.begin() + shape.rank()));
    }
    json["data"] = tensor_json(step.value);
    json["printed"] = printed(trace, step, options);
    return json;
}

Json stage_json(const StageTrace& trace, const Narration& words, const PrintOptions& options) {
    Json steps = Json::array();
    for (const std::size_t id : trace.shown) {
        steps.push_back(step_json(trace, id, words, options));
    }
    return {{"name", trace.stage->name},
            {"title", words.title()},
            {"language", name_of(trace.language)},
            {"setup", session_setup(trace, options)},
            {"parameters", parameters_json(trace.parameters)},
            {"steps", std::move(steps)}};
}

}  // namespace

void write_json(const WriteBytes& write, const Trace& trace, const Style& style) {
    Json stages = Json::array();
    for (const StageTrace& stage : trace.stages) {
        stages.push_back(stage_json(stage, Narration(style.language, stage.stage->name), style.print));
    }
    const Json json{{"format", "attn-walkthrough/trace"},
                    {"version", 1},
                    {"program", ATTN_VERSION},
                    {"tokens", trace.lesson.tokens},
                    {"stages", std::move(stages)}};
    write(json_text(json, JsonLayout::indented));
}

}  // namespace attn
