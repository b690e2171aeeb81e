// The walkthrough as Markdown: CommonMark, with formulas between dollar signs as in GitHub and Jupyter.
#pragma once

#include <cstddef>
#include <string>

#include "views/document/document.hpp"
#include "views/document/sheet.hpp"

namespace attn {

// Returns prose in which every character with a meaning in Markdown is escaped.
std::string markdown_prose(std::string_view text);

// Returns lines of code, or their output, between fences that no line in them can close.
std::string markdown_fenced(std::string_view lines, std::string_view language = "");

// Return the title, introduction and tokens of a stage, or the title, note, errata and formula of a step.
std::string markdown_heading(const StageTrace& trace, const StagePart& stage);
std::string markdown_heading(const StageTrace& trace, const StepPart& step);

// Return the title and paragraphs of a sheet, or a task without its answer.
std::string markdown_heading(const Sheet& sheet);
std::string markdown_task(const Sheet& sheet, std::size_t task);

// Writes the whole walkthrough.
void write_markdown(const WriteBytes& write, const Trace& trace, const Style& style);
void write_markdown_sheet(const WriteBytes& write, const Sheet& sheet, const Style& style);

}  // namespace attn
