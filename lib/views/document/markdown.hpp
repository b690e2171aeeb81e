// The walkthrough as Markdown (CommonMark, with formulas between dollar signs as GitHub and Jupyter set
// them).
#pragma once

#include <string>

#include "views/document/document.hpp"

namespace attn {

// Prose with every character escaped that Markdown might read as a mark.
std::string markdown_prose(std::string_view text);

// Lines of code, or of what it prints, between fences that nothing in them closes.
std::string markdown_fenced(std::string_view lines, std::string_view language = "");

// Title, introduction and tokens of a stage; title, note, errata and formula of a step.
std::string markdown_heading(const StageTrace& trace, const StagePart& stage);
std::string markdown_heading(const StageTrace& trace, const StepPart& step);

// All of it.
void write_markdown(const WriteBytes& write, const Trace& trace, const Style& style);

}  // namespace attn
