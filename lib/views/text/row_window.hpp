// A window of rows, written as in Python's slices, and the code that selects it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tensor/tensor.hpp"

namespace attn {

// `2:5`, `:3` or `-2:`. A missing end is open, and a negative one counts from the end.
struct RowWindow {
    std::optional<std::int64_t> from, to;
};

// Returns nothing unless the text is two optional numbers with a colon between them.
std::optional<RowWindow> read_row_window(std::string_view text);

// Returns the rows of a tensor that are in the window; there may be none. A vector (n,) counts its numbers as
// rows. The tensor must have at least one axis. torch: x[..., from:to, :]
Tensor rows_in(const RowWindow& window, const Tensor& x);

// Write the same as code: `name[2:5]`, or `name[..., 2:5, :]` if the rows are not the first axis; in C++
// `slice(name, -2, 2, 5)`.
std::string python_slice(std::string_view name, const RowWindow& window, std::size_t rank);
std::string cpp_slice(std::string_view name, const RowWindow& window, std::size_t rank);

}  // namespace attn
