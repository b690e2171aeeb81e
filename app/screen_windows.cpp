// The Windows console: its size, and no pager.
#if defined(_WIN32)

#define NOMINMAX
#define WIN32_LEAN_AND_MEAN
#include <io.h>
#include <windows.h>

#include "screen.hpp"

namespace attn {

std::optional<ScreenSize> screen_size(int descriptor) {
    const auto console = reinterpret_cast<HANDLE>(::_get_osfhandle(descriptor));
    CONSOLE_SCREEN_BUFFER_INFO info{};
    if (::GetConsoleScreenBufferInfo(console, &info) == 0) {
        return std::nullopt;
    }
    const SMALL_RECT& window = info.srWindow;
    return ScreenSize{static_cast<std::size_t>(window.Right - window.Left + 1),
                      static_cast<std::size_t>(window.Bottom - window.Top + 1)};
}

bool page_through(std::string_view) {
    return false;
}

}  // namespace attn

#endif
