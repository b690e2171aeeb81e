// The terminal's size, and the pager.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace attn {

struct ScreenSize {
    std::size_t columns;  // rows and columns are 0 if the terminal does not report its size
    std::size_t rows;
};

// Sets the standard streams to UTF-8 without conversion of line ends. Call this before anything else.
void prepare_streams();

// Returns the size of the terminal behind a descriptor; nothing if it is not a terminal.
std::optional<ScreenSize> screen_size(int descriptor);

// Shows a text in $PAGER, or in less. Returns false if no pager is installed, or if it is turned off.
// The user may quit the pager early.
bool page_through(std::string_view text);

}  // namespace attn
