// What a run can do, one file each; the options choose.
#pragma once

#include "options.hpp"

namespace attn {

// The default: the chosen stages, step by step.
bool walkthrough(const Options& options);
// --compare: the numbers beside the documents' printed tables.
bool compare(const Options& options);
// --diagnose: what a pasted tensor is, or which mistake made it.
bool diagnose(const Options& options);
// --quiz: questions about the chosen stages, answered on standard input.
bool quiz(const Options& options);
// --exercises: such questions as a sheet, its key, and answers to it marked.
bool exercises(const Options& options);
// --explain: the arithmetic of one cell.
bool explain(const Options& options);

// --generate: completions for a shell, or the manual page.
bool generate(const Options& options);

// --help, --version, --list, --errata; and what is said when nothing is asked.
bool show_help(const Options& options);
bool show_short_help(const Options& options);
bool show_version(const Options& options);
bool show_stages(const Options& options);
bool show_errata(const Options& options);

}  // namespace attn
