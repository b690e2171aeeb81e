// Lists of numbers in brackets, as Python, NumPy, JSON, MATLAB and C++ write them.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "printed/tokens.hpp"
#include "tensor/tensor.hpp"
#include "text/message.hpp"

namespace attn {

struct PrintedList {
    Shape shown{};
    std::array<std::optional<std::size_t>, Shape::max_rank> gaps{};  // the position of each `...`
    std::vector<PrintedNumber> numbers{};
    bool mended = false;  // a blank was removed from a number
    std::size_t end = 0;  // the token after the list

    void add(const Token& token) {
        numbers.push_back(token.number);
        mended = mended || token.mended;
    }
};

// The reason why no list could be read. Its message is written only if it is shown, because most brackets in
// a paste do not begin tensors.
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
        not_used,
    };

    Kind kind = Kind::no_number;
    std::size_t offset = 0;    // position in the text; the text's size means its end
    std::size_t found = 0;     // the number of open brackets, or of items in the row
    std::size_t expected = 0;  // items of the first row
    bool meant = false;        // the list contains numbers, so a tensor was meant
    std::size_t token = 0;     // index of the token where reading stopped
};

// Returns the message, such as "1 number here, but 2 in the first one; all need the same length."
Message problem_text(const ListProblem& problem, std::string_view text);

// Reads the list that begins with the bracket at tokens[at], or the single number there. Commas may be
// omitted, and comments after numbers are skipped. `text_size` is the position of an error at the end of the
// text.
std::variant<PrintedList, ListProblem> read_list(std::span<const Token> tokens, std::size_t at,
                                                 std::size_t text_size);

}  // namespace attn
