// The answers of the program: all but walks through stages. The program that run.sh builds first has none of
// it: there, not_here.cpp ends each of these with exit code 3, and run.sh builds the whole program.
#pragma once

#include <string>
#include <string_view>

#include "commands/command.hpp"
#include "stages/trace.hpp"
#include "tensor/tensor.hpp"
#include "views/format.hpp"

namespace attn {

// Run commands; throw Error.
ExitCode run_compare(Options& options);
ExitCode run_explain(Options& options);
ExitCode run_diagnose(Options& options);
ExitCode run_quiz(Options& options);
ExitCode run_exercises(Options& options);
ExitCode run_grade(Options& options);

// Lists the mistakes that diagnose knows, the likeliest first: of all stages, or those that change a stage,
// each with the first step that it changes. No stage: null.
std::string known_mistakes(const Stage* stage, std::string_view language);

// Writes the page. A variant of a stage, with the mask, the scaling or dropout switched off, is included only
// if it changes a number.
void write_html(const WriteBytes& write, const Trace& trace, const Style& style);
// Returns the data of this page as JSON, with or without the variants.
std::string page_json(const Trace& trace, const Style& style, bool with_variants);

// Returns the numbers of the only tensor of a file. Throws Error for a file with more or fewer.
Tensor only_tensor(const std::string& path);

}  // namespace attn
