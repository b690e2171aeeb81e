// A window of rows, as Python's slices choose them, and how code writes it. Autograd's facts about a slice,
// and its printing, are left to step_text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tensor/tensor.hpp"

namespace attn {

// `2:5`, `:3`, `-2:`. A missing end is open, and a negative one counts from the end.
struct RowWindow {
    std::optional<std::int64_t> from, to;
};

// Empty unless the text is a window: two optional numbers with a colon between them.
std::optional<RowWindow> read_row_window(std::string_view text);

// The rows of a tensor in the window, none where it lies outside: of (…, n, d) and of (n,), whose numbers are
// its rows. The tensor must be of rank 1 or more. torch: x[..., from:to, :]
Tensor rows_in(const RowWindow& window, const Tensor& x);

// The same as Python and C++ write it: `name[2:5]`, `name[..., 2:5, :]` where the rows are not the first
// axis, and `slice(name, -2, 2, 5)`.
std::string python_slice(std::string_view name, const RowWindow& window, std::size_t rank);
std::string cpp_slice(std::string_view name, const RowWindow& window, std::size_t rank);

}  // namespace attn
