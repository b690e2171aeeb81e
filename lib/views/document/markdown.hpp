// The walkthrough as Markdown (CommonMark, with formulas between dollar signs as GitHub and Jupyter set
// them).
#pragma once

#include <cstddef>
#include <string>

#include "views/document/document.hpp"
#include "views/document/sheet.hpp"

namespace attn {

// Prose with every character escaped that Markdown might read as a mark.
std::string markdown_prose(std::string_view text);

// Lines of code, or of what it prints, between fences that nothing in them closes.
std::string markdown_fenced(std::string_view lines, std::string_view language = "");

// Title, introduction and tokens of a stage; title, note, errata and formula of a step.
std::string markdown_heading(const StageTrace& trace, const StagePart& stage);
std::string markdown_heading(const StageTrace& trace, const StepPart& step);

// Title and paragraphs of a sheet; a task without its answer.
std::string markdown_heading(const Sheet& sheet);
std::string markdown_task(const Sheet& sheet, std::size_t task);

// All of it.
void write_markdown(const WriteBytes& write, const Trace& trace, const Style& style);
void write_markdown_sheet(const WriteBytes& write, const Sheet& sheet, const Style& style);

}  // namespace attn
