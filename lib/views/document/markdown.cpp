// The escapes are those of CommonMark, section 2.4: a backslash before any ASCII punctuation makes it text.
#include "views/document/markdown.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "text/ascii.hpp"

namespace attn {

namespace {

// Returns true if a place is inside a word, where an underscore does not begin emphasis.
bool is_inside_word(std::string_view text, std::size_t at) {
    return at > 0 && at + 1 < text.size() && is_word_character(text[at - 1]) &&
           is_word_character(text[at + 1]);
}

std::string markdown_paragraph(std::string_view text) {
    return text.empty() ? "" : markdown_prose(text) + "\n\n";
}

std::string markdown_paragraphs(const std::vector<std::string>& paragraphs) {
    std::string text;
    for (const std::string& paragraph : paragraphs) {
        text += markdown_paragraph(paragraph);
    }
    return text;
}

}  // namespace

std::string markdown_prose(std::string_view text) {
    constexpr std::string_view marks = "\\`*[]<>$|~#&";
    constexpr std::string_view at_the_start = "+-=";
    std::string prose;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_mark = marks.find(text[i]) != std::string_view::npos ||
                             (text[i] == '_' && !is_inside_word(text, i)) ||
                             (i == 0 && at_the_start.find(text[i]) != std::string_view::npos);
        prose += is_mark ? "\\" : "";
        prose += text[i];
    }
    return prose;
}

std::string markdown_fenced(std::string_view lines, std::string_view language) {
    std::string fence = "```";
    while (lines.find(fence) != std::string_view::npos) {
        fence += '`';
    }
    return fmt::format("{0}{1}\n{2}{3}{0}\n\n", fence, language, lines, lines.ends_with('\n') ? "" : "\n");
}

std::string markdown_heading(const StageTrace& trace, const StagePart& stage) {
    return fmt::format("# {}: {}\n\n{}{}", trace.stage->name, markdown_prose(stage.title),
                       markdown_paragraph(stage.intro), markdown_paragraph(stage.tokens));
}

std::string markdown_heading(const StageTrace& trace, const StepPart& step) {
    std::string text = fmt::format("## {}\n\n**{}**\n\n{}", markdown_prose(place_of(trace, step.id)),
                                   markdown_prose(step.title), markdown_paragraph(step.note));
    for (const std::string& erratum : step.errata) {
        text += "> " + markdown_paragraph(erratum);
    }
    return text + (step.formula.is_empty() ? "" : fmt::format("$$\n{}\n$$\n\n", formula_latex(step.formula)));
}

void write_markdown(const WriteBytes& write, const Trace& trace, const Style& style) {
    const Words phrases(style.language, "program");
    for (const StageTrace& stage : trace.stages) {
        const std::string_view language = highlighted_as(stage.language);
        const StagePart part = stage_part(stage, Narration(style.language, stage.stage->name), style.print);
        write(markdown_heading(stage, part) + markdown_fenced(excerpts(part.setup, phrases), language));
        for (const StepPart& step : part.steps) {
            const Exchange cell = cell_of(stage, step, style.print);
            write(markdown_heading(stage, step) +
                  markdown_fenced(excerpt(cell.statement, phrases), language) +
                  markdown_fenced(cell.answer, "text") +
                  (step.drawing.empty() ? "" : markdown_fenced(step.drawing, "text")));
        }
    }
}

std::string markdown_heading(const Sheet& sheet) {
    return fmt::format("# {}\n\n{}", markdown_prose(sheet.title), markdown_paragraphs(sheet.paragraphs));
}

std::string markdown_task(const Sheet& sheet, std::size_t task) {
    const auto& [heading, shown, text, answer, solved] = sheet.tasks[task];
    return fmt::format("## {}. {}\n\n{}{}", task + 1, markdown_prose(heading),
                       shown.empty() ? "" : markdown_fenced(shown, "text"), markdown_paragraph(text));
}

void write_markdown_sheet(const WriteBytes& write, const Sheet& sheet, const Style&) {
    write(markdown_heading(sheet));
    for (std::size_t task = 0; task < sheet.tasks.size(); ++task) {
        const SheetTask& one = sheet.tasks[task];
        write(markdown_task(sheet, task));
        write(
            fmt::format("**{}**{}\n\n", sheet.answer, sheet.is_key ? fmt::format(" `{}`", one.answer) : ""));
        write(sheet.is_key && !one.solved.empty() ? markdown_fenced(one.solved, "text") : "");
    }
    write(markdown_paragraphs(sheet.conclusion));
}

}  // namespace attn
