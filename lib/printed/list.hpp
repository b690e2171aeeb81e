// Lists of numbers in brackets, as Python, NumPy, JSON, MATLAB and C++ write them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "printed/tensor.hpp"
#include "printed/tokens.hpp"
#include "text/message.hpp"

namespace attn {

// A tensor, and the tokens from its begin to before its end.
struct PlacedTensor {
    PrintedTensor tensor{};
    std::size_t begin = 0;
    std::size_t end = 0;

    std::size_t count() const { return tensor.numbers.size(); }
    bool has_fractions() const {
        return std::ranges::any_of(tensor.numbers, [](const PrintedNumber& number) {
            return number.notation != PrintedNumber::Notation::whole;
        });
    }
    void add(const Token& token) {
        tensor.numbers.push_back(token.number);
        tensor.mended = tensor.mended || token.mended;
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
std::variant<PlacedTensor, ListProblem> read_list(std::span<const Token> tokens, std::size_t at,
                                                  std::size_t text_size);

}  // namespace attn
