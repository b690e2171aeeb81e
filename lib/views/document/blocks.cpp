#include "views/document/blocks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "views/document/document.hpp"

namespace attn {

namespace {

// Returns the lines of a notebook's code cell that computes and prints a step, and their output.
Exchange cell_of(const StageTrace& trace, const StepPart& step, const PrintOptions& options) {
    std::vector<Exchange> exchanges = step.layout;
    exchanges.push_back(printing(trace, trace.node(step.id), options));
    Exchange cell{fmt::format("{}", fmt::join(step.code, "\n")), ""};
    for (const auto& [statement, answer] : exchanges) {
        const bool shows_itself = trace.language == Language::cpp || statement.starts_with("print(");
        cell.statement += "\n" + (shows_itself ? statement : fmt::format("print({})", statement));
        cell.answer += answer + "\n";
    }
    return cell;
}

}  // namespace

Blocks walkthrough(const Trace& trace, const Style& style) {
    Blocks blocks;
    for (const StageTrace& stage : trace.stages) {
        const StagePart part = stage_part(stage, Narration(style.language, stage.stage->name), style.print);
        const std::string name(stage.stage->name);
        blocks.push_back(Heading{name, fmt::format("{}: {}", name, part.title), 1});
        blocks.push_back(Prose{part.book});
        blocks.push_back(Prose{part.intro});
        blocks.push_back(Prose{part.tokens});
        blocks.push_back(Code{.name = name + "-setup",
                              .statements = part.setup,
                              .cell = {fmt::format("{}", fmt::join(part.setup, "\n")), ""},
                              .language = stage.language});
        for (const StepPart& step : part.steps) {
            const std::string id = fmt::format("{}-{}", name, stage.place(step.id));
            blocks.push_back(Heading{id, place_of(stage, step.id)});
            blocks.push_back(Label{step.title});
            blocks.push_back(Prose{step.note});
            for (const std::string& erratum : step.errata) {
                blocks.push_back(Remark{erratum});
            }
            if (!step.formula.is_empty()) {
                blocks.push_back(step.formula);
            }
            blocks.push_back(Code{.name = id + "-code",
                                  .statements = step.code,
                                  .cell = cell_of(stage, step, style.print),
                                  .shows = &stage.node(step.id),
                                  .drawing = step.drawing,
                                  .language = stage.language});
        }
        if (!part.module.empty()) {
            blocks.push_back(Prose{Words(style.language, "program")("as_module"), name + "-as-module"});
            blocks.push_back(
                Code{.name = name + "-module",
                     .statements = part.module,
                     .cell = {fmt::format("{}", fmt::join(part.module, "\n")), part.module_output + "\n"},
                     .language = stage.language});
        }
        blocks.push_back(Prose{fmt::format("{}", fmt::join(part.closing, " ")), name + "-closing"});
    }
    return blocks;
}

}  // namespace attn
