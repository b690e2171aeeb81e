// The words of a command line: stages, steps and files.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "options.hpp"
#include "text/message.hpp"

namespace attn {

// Takes stage names, `all`, and sections of the book such as 3.5. Returns the other words.
std::vector<std::string> take_stages(Options& options);
// Takes stage names; the other words name steps of them. Without a stage name, takes the first stage that has
// such a step, and returns true. Takes a sentence of walk as --text.
bool take_stages_and_steps(RunOptions& options, std::vector<std::string>& steps);
// Returns true for a cell or step of a gradient, and for the loss: they need --backward.
bool is_gradient(std::string_view cell);
void turn_on_backward(RunOptions& options);
// Returns the single remaining word, a file. Throws Error if there is none, or more than one.
std::string take_file(const Options& options, const std::vector<std::string>& words);
// Takes the word among files that names a step, as --as does. The name can have another spelling.
void take_named_step(NumbersOptions& options, std::vector<std::string>& words);
// Returns the stage that a word names: its name, also in another spelling, a section or a figure; or null.
const Stage* stage_called(std::string_view word);
// Returns true for the name of a stage, also in another spelling or as a section.
bool names_stage(std::string_view word);
// Returns true for the name of a stage or of a step, also in another spelling.
bool names_stage_or_step(const std::string& word);
// Takes this stage if the command line names none.
void take_stage_unless_given(Options& options, std::string_view name);

// Throws Error and suggests the nearest command, stage or step of these stages.
[[noreturn]] void fail_unknown(const std::string& word, std::span<const Stage* const> stages = {});

// Like did_you_mean(), but knows the right words for some guesses, such as `--lang zh` for `--chinese`.
Message suggestion(std::string_view word, std::span<const std::string_view> names);

}  // namespace attn
