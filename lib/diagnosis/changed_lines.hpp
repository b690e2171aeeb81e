// The lines of code that two walks of a stage differ in, as far as they matter to one step.
#pragma once

#include <string>

#include "stages/trace.hpp"

namespace attn {

struct ChangedLines {
    std::string line;        // in the wrong walk; several, one per line, where several differ
    std::string instead_of;  // in the right walk
};

ChangedLines changed_lines(const StageTrace& wrong, const StageTrace& right, std::size_t step_of_wrong,
                           std::size_t step_of_right);

}  // namespace attn
