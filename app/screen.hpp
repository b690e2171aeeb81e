// The terminal's size, and the pager.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace attn {

struct ScreenSize {
    std::size_t columns;  // 0, like rows, if the terminal does not report its size
    std::size_t rows;
};

// Makes the standard streams use UTF-8 without line-end conversion. Call it first.
void prepare_streams();

// Returns the size of the terminal behind a descriptor; nothing if it is not a terminal.
std::optional<ScreenSize> screen_size(int descriptor);

// Shows a text through $PAGER, or less. Returns false if there is no pager or it is turned off; quitting the
// pager early is not an error.
bool page_through(std::string_view text);

}  // namespace attn
