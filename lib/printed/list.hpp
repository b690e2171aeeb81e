// Lists of numbers, as Python, NumPy and JSON write them in brackets and people without; where in a text a
// list stands and what surrounds it is the caller's business. Whatever the text, reading it takes linear
// time.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "printed/number.hpp"
#include "tensor/tensor.hpp"
#include "text/message.hpp"

namespace attn {

// In all lists of a text; .npy and the like have room for more.
inline constexpr std::size_t max_printed_numbers = 500'000;

struct PrintedList {
    Shape shown;
    std::array<std::optional<std::size_t>, Shape::max_rank> gaps;  // where `...` stands
    std::vector<PrintedNumber> numbers;
    std::size_t end = 0;  // behind the last bracket
};

// Why no list could be read. Put into words only where it is told: most brackets of a text are none.
struct ListProblem {
    enum class Kind {
        cut_off,
        no_number,
        stray_comma,
        bracket_among_numbers,
        number_beside_rows,
        too_deep,
        empty,
        uneven_rows,
        uneven_numbers,
        other_length,
        second_gap,
        gap_elsewhere,
        mixed_truth,
        too_many,
    };

    Kind kind = Kind::no_number;
    std::size_t offset = 0;    // in the text
    std::size_t found = 0;     // how many brackets are open, how many items a row has
    std::size_t expected = 0;  // items of the first row
    bool meant = false;        // there are numbers, so that it was meant as a list of them
    std::size_t resume = 0;    // where the next list may begin, if not at the next bracket
};

// "1 number here, but 2 in the first of these; all must be of one length."
Message problem_text(const ListProblem& problem, std::string_view text);

// The list that begins with the bracket at text[at], or the single number that begins there. Commas may be
// left out, and what stands before a line (`>` of a quotation, `#` of a comment) and comments behind numbers
// are skipped. At most `room` numbers.
std::variant<PrintedList, ListProblem> read_list(std::string_view text, std::size_t at, std::size_t room);

// All numbers of a text that holds nothing else but white space and commas between them; nothing otherwise.
std::optional<std::vector<PrintedNumber>> read_numbers(std::string_view text);

// The first position from `at` that holds no white space, no-break spaces included.
std::size_t skip_space(std::string_view text, std::size_t at);

}  // namespace attn
