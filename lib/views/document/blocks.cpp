#include "views/document/blocks.hpp"

#include <fmt/format.h>

#include "notebook/render.hpp"
#include "text/lists.hpp"
#include "views/document/document.hpp"
#include "words/documents.hpp"
#include "words/errata.hpp"

namespace attn {

namespace {

// Returns the lines of a notebook's code cell that computes and prints a step, and their output.
Exchange notebook_cell(const StageTrace& trace, std::size_t id, const PrintOptions& options) {
    std::vector<Exchange> exchanges = layout_exchanges(trace.notebook, id, trace.language);
    exchanges.push_back(printing(trace, id, options));
    Exchange cell{joined(step_lines(trace, id), "\n"), ""};
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
    const Words phrases(style.language, "program");
    Blocks blocks;
    const auto add = [&](ProseKind kind, const std::string& text, const std::string& cell = "") {
        if (!text.empty()) {
            blocks.push_back(Prose{kind, text, cell});
        }
    };
    for (const StageTrace& stage : trace.stages) {
        const std::string name(stage.stage->name);
        const Narration words(style.language, name);
        const std::vector<Erratum> errata = errata_of(style.language, stage);
        const auto add_code = [&](std::string_view cell, const std::vector<std::string>& lines,
                                  const std::string& output) {
            blocks.push_back(Code{.name = fmt::format("{}-{}", name, cell),
                                  .statements = lines,
                                  .cell = {joined(lines, "\n"), output},
                                  .language = stage.language});
        };
        add(title, fmt::format("{}: {}", name, words.title()), name);
        add(paragraph, book_place(name, phrases));
        add(paragraph, words.intro({stage}));
        add(paragraph, token_list(stage, phrases));
        add_code("setup", session_setup(stage, style.print), "");
        for (const std::size_t id : stage.shown) {
            const std::string cell = fmt::format("{}-{}", name, stage.place(id));
            add(heading, place_of(stage, id), cell);
            add(label, words.title({stage, id}));
            add(paragraph, words.note({stage, id}));
            for (const Erratum& erratum : errata) {
                if (erratum.step == stage.node(id).name) {
                    add(remark, erratum_text(erratum, phrases));
                }
            }
            if (const Expr formula = equation_of(stage.notebook, id); !formula.is_empty()) {
                blocks.push_back(formula);
            }
            blocks.push_back(Code{.name = cell + "-code",
                                  .statements = step_lines(stage, id),
                                  .cell = notebook_cell(stage, id, style.print),
                                  .shows = &stage.node(id),
                                  .drawing = memory_drawing(stage.notebook, id, phrases),
                                  .language = stage.language});
        }
        if (const auto module = module_of(stage, style.print)) {
            add(paragraph, phrases("as_module"), name + "-as-module");
            add_code("module", module->statements, module->output + "\n");
        }
        add(paragraph, joined(closing_of(stage, words, phrases), " "), name + "-closing");
    }
    return blocks;
}

}  // namespace attn
