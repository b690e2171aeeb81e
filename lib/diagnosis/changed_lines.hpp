// Compares the code of two walks of a stage, and returns the lines that differ and affect a given step.
#pragma once

#include <string>

#include "stages/trace.hpp"

namespace attn {

struct ChangedLines {
    std::string line;        // in the wrong walk; one line each if several differ
    std::string instead_of;  // in the right walk
};

ChangedLines changed_lines(const StageTrace& wrong, const StageTrace& right, std::size_t step_of_wrong,
                           std::size_t step_of_right);

}  // namespace attn
