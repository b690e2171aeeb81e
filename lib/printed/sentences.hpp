// Numbers within sentences, `0.19, 0.16 and 0.17`: what is left to look for in a text that has neither lists
// nor rows.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "printed/list.hpp"

namespace attn {

// Two or more numbers one after the other, of each.
struct PrintedSentence {
    std::vector<PrintedList> lists;
    std::optional<ListProblem> problem;  // where there are more numbers than there is room for
};

// The line text[begin] to text[end]. Numbers have two decimals at least, for sentences count and cite with
// others. At most `room` numbers in all.
PrintedSentence read_sentence(std::string_view text, std::size_t begin, std::size_t end, std::size_t room);

}  // namespace attn
