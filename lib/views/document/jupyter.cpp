// https://nbformat.readthedocs.io/en/latest/format_description.html
#include "views/document/jupyter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "files/json_writer.hpp"
#include "tensor/error.hpp"
#include "views/document/document.hpp"
#include "views/document/markdown.hpp"

namespace attn {

namespace {

void write_string(JsonWriter& json, std::string_view key, std::string_view text) {
    json.key(key);
    json.string(text);
}

// As a list of lines, so that two versions of a notebook can be compared line by line.
void write_lines(JsonWriter& json, std::string_view key, std::string_view text) {
    json.key(key);
    json.begin_array();
    while (!text.empty()) {
        const std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
        json.string(text.substr(0, length));
        text.remove_prefix(length);
    }
    json.end();
}

class JupyterWriter {
public:
    explicit JupyterWriter(const WriteBytes& write) : json_(write) {
        json_.begin_object();
        json_.key("cells");
        json_.begin_array();
    }

    void markdown(const std::string& id, std::string_view text) {
        begin_cell("markdown", id);
        write_lines(json_, "source", text.substr(0, text.find_last_not_of('\n') + 1));
        json_.end();
    }

    void code(const std::string& id, const Exchange& cell) {
        begin_cell("code", id);
        json_.key("execution_count");
        json_.integer(++executed_);
        json_.key("outputs");
        json_.begin_array();
        if (!cell.answer.empty()) {
            json_.begin_object();
            write_string(json_, "name", "stdout");
            write_string(json_, "output_type", "stream");
            write_lines(json_, "text", cell.answer);
            json_.end();
        }
        json_.end();
        write_lines(json_, "source", cell.statement);
        json_.end();
    }

    void end() {
        json_.end();
        json_.key("metadata");
        json_.begin_object();
        json_.key("kernelspec");
        json_.begin_object();
        write_string(json_, "display_name", "Python 3");
        write_string(json_, "language", "python");
        write_string(json_, "name", "python3");
        json_.end();
        json_.key("language_info");
        json_.begin_object();
        write_string(json_, "name", "python");
        json_.end();
        json_.end();
        json_.key("nbformat");
        json_.integer(4);
        json_.key("nbformat_minor");
        json_.integer(5);
        json_.end();
    }

private:
    void begin_cell(std::string_view type, const std::string& id) {
        json_.begin_object();
        write_string(json_, "cell_type", type);
        write_string(json_, "id", id);
        json_.key("metadata");
        json_.begin_object(JsonWriter::Layout::line);
        json_.end();
    }

    JsonWriter json_;
    std::size_t executed_ = 0;
};

}  // namespace

void write_ipynb(const WriteBytes& write, const Trace& trace, const Style& style) {
    JupyterWriter notebook(write);
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
    notebook.end();
}

void write_ipynb_sheet(const WriteBytes& write, const Sheet& sheet, const Style&) {
    JupyterWriter notebook(write);
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
    notebook.end();
}

void require_python(const Trace& trace) {
    const auto is_python = [](const StageTrace& stage) { return stage.language != Language::cpp; };
    if (!std::ranges::all_of(trace.stages, is_python)) {
        throw Error("an .ipynb is run by Python, and `code` cpp is C++: leave one of them out.");
    }
}

}  // namespace attn
