// A browser has no terminal and no pager.
#include "screen.hpp"

namespace attn {

void prepare_streams() {}

std::optional<ScreenSize> screen_size(int) {
    return std::nullopt;
}

bool page_through(std::string_view) {
    return false;
}

}  // namespace attn
