// The words of a command line: stages, steps and files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "options.hpp"

namespace attn {

// Takes stage names, `all` and sections of the book such as 3.5; returns the other words.
std::vector<std::string> take_stages(Options& options);
// Takes the stages; no other words may be there.
void take_only_stages(Options& options);
// Takes the stages; the other words are steps of theirs, and one of the first stage with such a step where no
// stage is named.
void take_stages_and_steps(Options& options);
// The one word that is left of them, a file. Throws Error where there is none, or more than one.
std::string take_file(const Options& options, const std::vector<std::string>& words);
// The stage that a command takes where none is named.
void take_stage_unless_given(Options& options, std::string_view name);

// Throws Error with the nearest command or stage.
[[noreturn]] void fail_unknown(const std::string& word);

}  // namespace attn
