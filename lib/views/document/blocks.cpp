#include "views/document/blocks.hpp"

#include <fmt/format.h>

#include "text/lists.hpp"
#include "views/document/document.hpp"

namespace attn {

namespace {

// Returns the lines of a notebook's code cell that computes and prints a step, and their output.
Exchange notebook_cell(const StageTrace& trace, const StepPart& step, const PrintOptions& options) {
    std::vector<Exchange> exchanges = step.layout;
    exchanges.push_back(printing(trace, step.id, options));
    Exchange cell{joined(step.code, "\n"), ""};
    for (const auto& [statement, answer] : exchanges) {
        const bool shows_itself = trace.language == Language::cpp || statement.starts_with("print(");
        cell.statement += "\n" + (shows_itself ? statement : fmt::format("print({})", statement));
        cell.answer += answer + "\n";
    }
    return cell;
}

}  // namespace

Blocks walkthrough(const Trace& trace, const Style& style) {
    using enum ProseKind;
    Blocks blocks;
    for (const StageTrace& stage : trace.stages) {
        const StagePart part = stage_part(stage, style);
        const std::string name(stage.stage->name);
        const auto add = [&](ProseKind kind, const std::string& text, const std::string& cell = "") {
            blocks.push_back(Prose{kind, text, cell});
        };
        const auto add_code = [&](std::string_view cell, const std::vector<std::string>& lines,
                                  const std::string& output) {
            blocks.push_back(Code{.name = fmt::format("{}-{}", name, cell),
                                  .statements = lines,
                                  .cell = {joined(lines, "\n"), output},
                                  .language = stage.language});
        };
        add(title, fmt::format("{}: {}", name, part.title), name);
        add(paragraph, part.book);
        add(paragraph, part.intro);
        add(paragraph, part.tokens);
        add_code("setup", part.setup, "");
        for (const StepPart& step : part.steps) {
            const std::string id = fmt::format("{}-{}", name, stage.place(step.id));
            add(heading, place_of(stage, step.id), id);
            add(label, step.title);
            add(paragraph, step.note);
            for (const std::string& erratum : step.errata) {
                add(remark, erratum);
            }
            if (!step.formula.is_empty()) {
                blocks.push_back(step.formula);
            }
            blocks.push_back(Code{.name = id + "-code",
                                  .statements = step.code,
                                  .cell = notebook_cell(stage, step, style.print),
                                  .shows = &stage.node(step.id),
                                  .drawing = step.drawing,
                                  .language = stage.language});
        }
        if (!part.module.empty()) {
            add(paragraph, Words(style.language, "program")("as_module"), name + "-as-module");
            add_code("module", part.module, part.module_output + "\n");
        }
        add(paragraph, joined(part.closing, " "), name + "-closing");
    }
    return blocks;
}

}  // namespace attn
