// Puts rows of numbers together to tensors, and tensors that were printed row by row or number by number to
// one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "printed/rows.hpp"
#include "printed/tensor.hpp"
#include "text/message.hpp"

namespace attn {

// Something in a paste that belongs to no tensor. Its message is written only if it is shown, because most
// brackets in a paste do not begin tensors.
struct Leftover {
    enum class Kind { cut_off, no_number, other_length, not_used };

    Kind kind = Kind::no_number;
    std::size_t offset = 0;    // position in the text
    std::size_t found = 0;     // the number of open brackets, or of items in the row
    std::size_t expected = 0;  // items of the other rows
};

// Returns the message, such as "1 number here, where the other rows have 2."
Message leftover_text(const Leftover& leftover, std::string_view text);

// A tensor, and the tokens from its begin to before its end.
struct PlacedTensor {
    PrintedTensor tensor{};
    std::size_t begin = 0;
    std::size_t end = 0;
    std::vector<Leftover> leftovers{};  // rows that were misread, truncated, or of a different length

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

// Joins the rows of the usual length, and leaves out the others. Row numbers in the first column of lines and
// column numbers in a heading are left out, too. `text_size` is the place of brackets that are missing.
PlacedTensor assembled(PastedRows rows, std::size_t text_size);

// Joins neighbouring tensors of the same shape: three or more single numbers, four or more vectors on
// successive lines, or two whose labels count (`row 0: […]`). Without `joins`, each remains as it is.
std::vector<PrintedTensor> join_runs(std::span<PlacedTensor> placed, const Paste& paste, bool joins);

}  // namespace attn
