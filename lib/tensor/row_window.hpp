// A window of rows, as Python's slices choose them. What autograd makes of a slice, and its printing, are
// left to step_text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tensor.hpp"

namespace attn {

// `2:5`, `:3`, `-2:`. A missing end is open, and a negative one counts from the end.
struct RowWindow {
    std::optional<std::int64_t> from, to;
};

// Nothing where the text is no window: two numbers between which a colon stands, each of which may be left
// out.
std::optional<RowWindow> read_row_window(std::string_view text);

// What indexes the rows of a tensor of rank 1 or more: `[2:5]`, or `[..., 2:5, :]` where the rows are not the
// first axis. A vector's numbers are its rows.
std::string subscript(const RowWindow& window, std::size_t rank);

// The window as C++ writes it for rows_in: `{2, 5}`, `{{}, 3}`.
std::string cpp_text(const RowWindow& window);

// (…, n, d) → (…, k, d), (n,) → (k,): the rows in the window, none where it lies outside. The tensor must be
// of rank 1 or more. torch: x[..., from:to, :]
Tensor rows_in(const RowWindow& window, const Tensor& x);

}  // namespace attn
