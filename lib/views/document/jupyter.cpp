// https://nbformat.readthedocs.io/en/latest/format_description.html
#include "views/document/jupyter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "files/json_value.hpp"
#include "tensor/error.hpp"
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
    explicit JupyterNotebook(std::string_view language) : phrases_(language, "program") {}

    void operator()(const Code& code) {
        text_ += markdown_drawing(code.drawing);
        add_code(code.name, code.cell);
    }
    void operator()(const AnswerLine& answer) {
        add_code(fmt::format("task-{}-answer", answer.task),
                 {fmt::format("answers[\"{}\"] = \"{}\"", answer.task, answer.text.value_or("")), ""});
    }
    void operator()(const auto& block) {
        if constexpr (requires { block.name; }) {
            if (!block.name.empty()) {
                end_text();
                name_ = block.name;
            }
        }
        text_ += markdown(block, phrases_);
    }

    void write(const WriteBytes& write) {
        end_text();
        Json json = Json::object();
        json["cells"] = cells_;
        json["metadata"]["kernelspec"] =
            Json{{"display_name", "Python 3"}, {"language", "python"}, {"name", "python3"}};
        json["metadata"]["language_info"]["name"] = "python";
        json["nbformat"] = 4;
        json["nbformat_minor"] = 5;
        write(json_text(json, JsonLayout::indented));
    }

private:
    static Json begun(std::string_view type, const std::string& name) {
        return {{"cell_type", type}, {"id", name}, {"metadata", Json::object()}};
    }

    // Adds the text since the last cell as a cell.
    void end_text() {
        if (!text_.empty()) {
            Json cell = begun("markdown", name_);
            cell["source"] = lines(std::string_view(text_).substr(0, text_.find_last_not_of('\n') + 1));
            cells_.push_back(std::move(cell));
            text_.clear();
        }
    }

    void add_code(const std::string& name, const Exchange& exchange) {
        end_text();
        Json cell = begun("code", name);
        cell["execution_count"] = ++executed_;
        cell["outputs"] = Json::array();
        if (!exchange.answer.empty()) {
            cell["outputs"].push_back(
                {{"name", "stdout"}, {"output_type", "stream"}, {"text", lines(exchange.answer)}});
        }
        cell["source"] = lines(exchange.statement);
        cells_.push_back(std::move(cell));
    }

    Words phrases_;
    std::string name_, text_;
    Json cells_ = Json::array();
    std::size_t executed_ = 0;
};

}  // namespace

void write_ipynb(const WriteBytes& write, const Blocks& blocks, const Style& style) {
    JupyterNotebook notebook(style.language);
    for (const Block& block : blocks) {
        std::visit(notebook, block);
    }
    notebook.write(write);
}

void require_python(const Trace& trace) {
    const auto is_python = [](const StageTrace& stage) { return stage.language != Language::cpp; };
    if (!std::ranges::all_of(trace.stages, is_python)) {
        throw Error(Message("Python runs .ipynb and .py, but `code` cpp gives C++; leave one of the two out.")
                        .correcting("--out", ""));
    }
}

}  // namespace attn
