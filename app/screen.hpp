// The terminal itself: its size, and the pager in front of it.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace attn {

struct ScreenSize {
    std::size_t columns;  // 0 where a terminal does not say, as the rows
    std::size_t rows;
};

// Has the standard streams carry UTF-8 and no other line ends than those written; to be called first.
void prepare_streams();

// The size of the terminal behind a descriptor; empty if it is not a terminal.
std::optional<ScreenSize> screen_size(int descriptor);

// Shows a text through $PAGER, or less; false where none is wished or there. A reader who leaves it early has
// seen enough.
bool page_through(std::string_view text);

}  // namespace attn
