// What can stand on the command line where, for the completions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "option_table.hpp"

namespace attn {

// What an option takes, as far as it can be known beforehand.
struct Candidates {
    std::vector<std::string_view> words;
    bool files = false;
    bool steps = false;  // those of the stages chosen before
};

Candidates candidates_of(const OptionRow& row);

// Every stage, and `all`.
std::vector<std::string_view> stage_candidates();

struct StageSteps {
    std::string_view stage;
    std::vector<std::string> steps;  // all it can have, those of a bias and of dropout among them
};

std::vector<StageSteps> step_candidates();

// The steps of all stages, each name once, a space between them.
std::string all_steps(const std::vector<StageSteps>& stages);

}  // namespace attn
