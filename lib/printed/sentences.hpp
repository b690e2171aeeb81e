// Numbers within sentences, `0.19, 0.16 and 0.17`: what is left to look for in a text that has neither lists
// nor rows.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "printed/list.hpp"

namespace attn {

// Two or more numbers one after the other in the line text[begin] to text[end], each with two decimals at
// least, for sentences count and cite with others. At most `room` numbers.
std::vector<PrintedList> read_sentence(std::string_view text, std::size_t begin, std::size_t end,
                                       std::size_t room);

}  // namespace attn
