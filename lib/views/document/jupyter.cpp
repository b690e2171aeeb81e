// https://nbformat.readthedocs.io/en/latest/format_description.html
#include "views/document/jupyter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "files/json_value.hpp"
#include "tensor/error.hpp"
#include "views/document/document.hpp"
#include "views/document/markdown.hpp"

namespace attn {

namespace {

// Splits a text into lines, so that two versions of a notebook can be compared line by line.
Json lines(std::string_view text) {
    Json lines = Json::array();
    while (!text.empty()) {
        const std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
        lines.push_back(text.substr(0, length));
        text.remove_prefix(length);
    }
    return lines;
}

class JupyterNotebook {
public:
    void markdown(const std::string& id, std::string_view text) {
        Json cell = begun("markdown", id);
        cell["source"] = lines(text.substr(0, text.find_last_not_of('\n') + 1));
        cells_.push_back(std::move(cell));
    }

    void code(const std::string& id, const Exchange& exchange) {
        Json cell = begun("code", id);
        cell["execution_count"] = ++executed_;
        cell["outputs"] = Json::array();
        if (!exchange.answer.empty()) {
            cell["outputs"].push_back(
                {{"name", "stdout"}, {"output_type", "stream"}, {"text", lines(exchange.answer)}});
        }
        cell["source"] = lines(exchange.statement);
        cells_.push_back(std::move(cell));
    }

    void write(const WriteBytes& write) const {
        Json json = Json::object();
        json["cells"] = cells_;
        json["metadata"]["kernelspec"] = {
            {"display_name", "Python 3"}, {"language", "python"}, {"name", "python3"}};
        json["metadata"]["language_info"]["name"] = "python";
        json["nbformat"] = 4;
        json["nbformat_minor"] = 5;
        write(json_text(json, JsonLayout::indented));
    }

private:
    static Json begun(std::string_view type, const std::string& id) {
        return {{"cell_type", type}, {"id", id}, {"metadata", Json::object()}};
    }

    Json cells_ = Json::array();
    std::size_t executed_ = 0;
};

}  // namespace

void write_ipynb(const WriteBytes& write, const Trace& trace, const Style& style) {
    JupyterNotebook notebook;
    for (const StageTrace& stage : trace.stages) {
        const StagePart part = stage_part(stage, Narration(style.language, stage.stage->name), style.print);
        const std::string name(stage.stage->name);
        notebook.markdown(name, markdown_heading(stage, part));
        notebook.code(name + "-setup", {fmt::format("{}", fmt::join(part.setup, "\n")), ""});
        for (const StepPart& step : part.steps) {
            const std::string id = fmt::format("{}-{}", name, stage.place(step.id));
            notebook.markdown(id, markdown_heading(stage, step) +
                                      (step.drawing.empty() ? "" : markdown_fenced(step.drawing)));
            notebook.code(id + "-code", cell_of(stage, step, style.print));
        }
    }
    notebook.write(write);
}

void write_ipynb_sheet(const WriteBytes& write, const Sheet& sheet, const Style&) {
    JupyterNotebook notebook;
    notebook.markdown("sheet", markdown_heading(sheet));
    notebook.code("answers", {"import json\n\nanswers = {}", ""});
    for (std::size_t task = 0; task < sheet.tasks.size(); ++task) {
        const SheetTask& one = sheet.tasks[task];
        const std::string id = fmt::format("task-{}", task + 1);
        notebook.markdown(id, markdown_task(sheet, task));
        notebook.code(
            id + "-answer",
            {fmt::format("answers[\"{}\"] = \"{}\"", task + 1, sheet.is_key ? one.answer : ""), ""});
        if (sheet.is_key && !one.solved.empty()) {
            notebook.markdown(id + "-solved", markdown_fenced(one.solved, "text"));
        }
    }
    notebook.code("written",
                  {"with open(\"answers.json\", \"w\") as file:\n    json.dump(answers, file)", ""});
    for (std::size_t i = 0; i < sheet.conclusion.size(); ++i) {
        notebook.markdown(fmt::format("conclusion-{}", i + 1), markdown_prose(sheet.conclusion[i]));
    }
    notebook.write(write);
}

void require_python(const Trace& trace) {
    const auto is_python = [](const StageTrace& stage) { return stage.language != Language::cpp; };
    if (!std::ranges::all_of(trace.stages, is_python)) {
        throw Error("an .ipynb is run by Python, and `code` cpp is C++: leave one of them out.");
    }
}

}  // namespace attn
