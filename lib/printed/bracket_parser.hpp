// One nested list of numbers, as Python, NumPy and JSON write it; where in a text it stands and what
// surrounds it is its caller's business.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "printed/written_number.hpp"
#include "tensor/tensor.hpp"

namespace attn {

struct WrittenList {
    Shape shown;
    std::array<std::optional<std::size_t>, Shape::max_rank> gaps;  // where `...` stands
    std::vector<WrittenNumber> numbers;
    std::size_t end = 0;  // behind the last bracket
};

// The list that begins with the bracket at text[at], or the single number that begins there. Commas may be
// left out, and what stands before a line (`>` of a quotation, `#` of a comment) and comments behind numbers
// are skipped. At most `room` numbers. Throws Unreadable.
WrittenList parse_brackets(std::string_view text, std::size_t at, std::size_t room);

// Whether a number, or what stands for one, follows the brackets and space from text[at] on: if not, there is
// no need to try.
bool may_hold_numbers(std::string_view text, std::size_t at);

// White space at text[at], no-break spaces included; the position behind it.
std::size_t skip_space(std::string_view text, std::size_t at);

}  // namespace attn
