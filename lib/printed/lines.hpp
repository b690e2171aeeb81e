// The lines of a paste without what stands before all of them: line numbers, marks of diff, prefixes of logs,
// `>` and `#`.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace attn {

struct Line {
    std::size_t begin;   // in the text, behind the margin
    std::size_t end;     // before the line's end and the blanks there
    std::size_t number;  // 1 the first
    bool apart = false;  // a blank line stands before it
    bool code = false;   // typed at a prompt: `>>> …`, and the lines behind `...`
};

// The lines that are not blank, with their margins.
std::vector<Line> raw_lines_of(std::string_view text);

// The same without margins; lines that `diff` shows as removed are left out.
std::vector<Line> lines_of(std::string_view text);

}  // namespace attn
