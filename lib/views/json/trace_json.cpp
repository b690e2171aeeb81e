#include <span>

#include "files/json_value.hpp"
#include "notebook/render.hpp"
#include "text/lists.hpp"
#include "views/document/document.hpp"
#include "views/format.hpp"
#include "views/json/parameters_json.hpp"

namespace attn {

namespace {

std::vector<std::string> names(const Notebook& notebook, const std::vector<std::size_t>& nodes) {
    return mapped(nodes, [&](std::size_t id) { return notebook.nodes()[id].name; });
}

Json step_json(const StageTrace& trace, const StepPart& part, const PrintOptions& options) {
    const Node& step = trace.node(part.id);
    const Shape& shape = step.value.shape();
    Json json{{"name", step.name},
              {"title", part.title},
              {"note", part.note},
              {"formula", formula_text(part.formula)},
              {"code", part.code},
              {"op", step.call.operation->name},
              {"inputs", names(trace.notebook, named_operands(trace.notebook, part.id))},
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
        json["set"].push_back(std::span(index).first(shape.rank()));
    }
    json["data"] = tensor_json(step.value);
    json["printed"] = printing(trace, part.id, options).answer;
    return json;
}

Json stage_json(const StageTrace& trace, const Style& style) {
    const StagePart part = stage_part(trace, style);
    Json steps = Json::array();
    for (const StepPart& step : part.steps) {
        steps.push_back(step_json(trace, step, style.print));
    }
    return {{"name", trace.stage->name},
            {"title", part.title},
            {"language", name_of(trace.language)},
            {"setup", part.setup},
            {"parameters", parameters_json(trace.parameters)},
            {"steps", std::move(steps)}};
}

}  // namespace

void write_json(const WriteBytes& write, const Trace& trace, const Style& style) {
    Json stages = Json::array();
    for (const StageTrace& stage : trace.stages) {
        stages.push_back(stage_json(stage, style));
    }
    const Json json{{"format", "attn-walkthrough/trace"},
                    {"version", 1},
                    {"program", ATTN_VERSION},
                    {"tokens", trace.lesson.tokens},
                    {"stages", std::move(stages)}};
    write_json_text(write, json, JsonLayout::indented);
}

}  // namespace attn
