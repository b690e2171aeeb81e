// Removes the margins of pasted lines: `>` and `#`.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace attn {

struct Line {
    std::size_t begin;   // position in the text after the margin
    std::size_t end;     // position in the text before trailing blanks
    std::size_t number;  // the line's number, counted from 1
    bool code = false;   // the line begins with a prompt, `>>> ` or `... `
};

// Returns the lines that are not blank, without their margins.
std::vector<Line> lines_of(std::string_view text);

}  // namespace attn
