#include <span>

#include "files/json_value.hpp"
#include "notebook/render.hpp"
#include "text/lists.hpp"
#include "views/document/document.hpp"
#include "views/format.hpp"
#include "views/json/parameters_json.hpp"
#include "words/narration.hpp"

namespace attn {

namespace {

Json step_json(const StageTrace& trace, std::size_t id, const Narration& words, const PrintOptions& options) {
    const Node& step = trace.node(id);
    const auto name_of = [&](std::size_t node) { return trace.node(node).name; };
    const Shape& shape = step.value.shape();
    Json json{{"name", step.name},
              {"title", words.title({trace, id})},
              {"note", words.note({trace, id})},
              {"formula", formula_text(equation_of(trace.notebook, id))},
              {"code", step_lines(trace, id)},
              {"op", step.call.operation->name},
              {"inputs", mapped(named_operands(trace.notebook, id), name_of)},
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
    json["printed"] = printing(trace, id, options).answer;
    return json;
}

Json stage_json(const StageTrace& trace, const Style& style) {
    const Narration words(style.language, trace.stage->name);
    Json steps = Json::array();
    for (const std::size_t id : trace.shown) {
        steps.push_back(step_json(trace, id, words, style.print));
    }
    return {{"name", trace.stage->name},
            {"title", words.title()},
            {"language", name_of(trace.language)},
            {"setup", session_setup(trace, style.print)},
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
