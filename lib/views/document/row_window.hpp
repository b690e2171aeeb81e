// A window of rows, written like a Python slice, and the code that selects the rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tensor/tensor.hpp"

namespace attn {

// `2:5`, `:3` or `-2:`. A missing bound is open; a negative bound counts from the end.
struct RowWindow {
    std::optional<std::int64_t> from, to;
};

// Reads a window: two numbers, each optional, with a colon between them. Returns nothing for other text.
std::optional<RowWindow> read_row_window(std::string_view text);

// Returns the first row of the window, and the number of rows, of `size` rows.
std::pair<std::size_t, std::size_t> rows_of(const RowWindow& window, std::size_t size);

// Returns the rows of a tensor in the window, possibly none. The numbers of a vector count as rows. The
// tensor must have at least one axis. torch: x[..., from:to, :]
Tensor rows_in(const RowWindow& window, const Tensor& x);

// Return the code that selects the window: `name[2:5]`, or `name[..., 2:5, :]` if rows are not the first
// axis; in C++ `slice(name, -2, 2, 5)`.
std::string python_slice(std::string_view name, const RowWindow& window, std::size_t rank);
std::string cpp_slice(std::string_view name, const RowWindow& window, std::size_t rank);

}  // namespace attn
