// Compares the code of two walks of a stage, and returns the lines that differ and affect a given step.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "stages/trace.hpp"

namespace attn {

// A line of code with the name that it defines.
struct CodeLine {
    std::size_t node;
    std::string name;
    std::size_t occurrence;  // counts the lines of one name from 0, because a generator can be seeded twice
    std::string text;
};

// Returns true for each node that a node is computed from, and for itself.
std::vector<bool> origins_of(const Notebook& notebook, std::size_t node);

// Returns all lines that lead to a node, in order.
std::vector<CodeLine> lines_to(const Notebook& notebook, std::size_t node);

struct ChangedLines {
    std::string line;        // in the wrong walk; one line each if several differ
    std::string instead_of;  // in the right walk
};

ChangedLines changed_lines(const StageTrace& wrong, const StageTrace& right, std::size_t step_of_wrong,
                           std::size_t step_of_right);

}  // namespace attn
