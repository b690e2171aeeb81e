// Notebooks and programs, which Python runs.
// https://nbformat.readthedocs.io/en/latest/format_description.html
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "files/json_value.hpp"
#include "tensor/error.hpp"
#include "text/lists.hpp"
#include "text/split.hpp"
#include "views/document/blocks.hpp"
#include "views/document/markdown.hpp"

namespace attn {

namespace {

// Splits a text into lines, so that two versions of a notebook can be compared line by line.
Json lines(std::string_view text) {
    Json lines = Json::array();
    for (const std::string_view line : split_lines(text)) {
        const bool ends = line.data() + line.size() < text.data() + text.size();
        lines.push_back(fmt::format("{}{}", line, ends ? "\n" : ""));
    }
    return lines;
}

class JupyterNotebook {
public:
    explicit JupyterNotebook(std::string_view language) : phrases_(language, "program") {}

    void operator()(const Code& code) {
        text_ += markdown_fenced(code.drawing, "");
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
        const Json kernel{{"display_name", "Python 3"}, {"language", "python"}, {"name", "python3"}};
        const Json metadata{{"kernelspec", kernel}, {"language_info", Json{{"name", "python"}}}};
        write(json_text({{"cells", cells_}, {"metadata", metadata}, {"nbformat", 4}, {"nbformat_minor", 5}},
                        JsonLayout::indented));
    }

private:
    // Adds the text since the last cell as a cell.
    void end_text() {
        if (!text_.empty()) {
            cells_.push_back({{"cell_type", "markdown"},
                              {"id", name_},
                              {"metadata", Json::object()},
                              {"source", lines(text_.substr(0, text_.find_last_not_of('\n') + 1))}});
            text_.clear();
        }
    }

    void add_code(const std::string& name, const Exchange& exchange) {
        end_text();
        Json outputs = Json::array();
        if (!exchange.answer.empty()) {
            outputs.push_back(
                {{"name", "stdout"}, {"output_type", "stream"}, {"text", lines(exchange.answer)}});
        }
        cells_.push_back({{"cell_type", "code"},
                          {"id", name},
                          {"metadata", Json::object()},
                          {"execution_count", ++executed_},
                          {"outputs", std::move(outputs)},
                          {"source", lines(exchange.statement)}});
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

void write_python(const WriteBytes& write, const Blocks& blocks, const Style& /*style*/) {
    for (const Block& block : blocks) {
        if (const auto* const code = std::get_if<Code>(&block)) {
            write(code->cell.statement + "\n\n");
        } else if (const auto* const prose = std::get_if<Prose>(&block);
                   prose != nullptr && prose->kind <= ProseKind::heading) {
            write(fmt::format("# {}\n", prose->text));
        }
    }
}

void write_cpp(const WriteBytes& write, const Blocks& blocks, const Style& /*style*/) {
    std::vector<std::string_view> includes;
    std::string body;
    for (const Block& block : blocks) {
        const auto* const code = std::get_if<Code>(&block);
        if (code == nullptr) {
            continue;
        }
        if (code->name.ends_with("-setup")) {
            body += body.empty() ? "{\n" : "}\n{\n";
        }
        for (const std::string_view line : split_lines(code->cell.statement)) {
            if (!line.starts_with('#')) {
                body += fmt::format("{}\n", line);
            } else if (!contains(includes, line)) {
                includes.push_back(line);
            }
        }
        body += "\n";
    }
    write(fmt::format("{}\n\nint main() {{\n{}}}\n}}\n", joined(includes, "\n"), body));
}

namespace {

bool is_in_cpp(const StageTrace& stage) {
    return stage.language == Language::cpp;
}

}  // namespace

void require_cpp(const Trace& trace) {
    if (!std::ranges::all_of(trace.stages, is_in_cpp)) {
        throw Error("a .cpp file contains C++; leave `code` out.").correcting("`code`", "");
    }
}

void require_python(const Trace& trace) {
    if (std::ranges::any_of(trace.stages, is_in_cpp)) {
        throw Error(
            "Python runs .ipynb and .py, but `code` cpp gives C++; "
            "leave one of the two out.")
            .correcting("--out", "");
    }
}

}  // namespace attn
