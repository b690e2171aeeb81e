// The Windows console: code page, colours and size; no pager.
#if defined(_WIN32)

#define WIN32_LEAN_AND_MEAN
#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <cstdlib>

#include "screen.hpp"

namespace attn {

namespace {

UINT code_page_before;

}  // namespace

void prepare_streams() {
    for (const int stream : {0, 1, 2}) {
        ::_setmode(stream, _O_BINARY);
    }
    const HANDLE console = ::GetStdHandle(STD_OUTPUT_HANDLE);
    DWORD mode = 0;
    if (::GetConsoleMode(console, &mode) == 0) {
        return;
    }
    ::SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
    code_page_before = ::GetConsoleOutputCP();
    ::SetConsoleOutputCP(CP_UTF8);
    std::atexit([] { ::SetConsoleOutputCP(code_page_before); });
}

std::optional<ScreenSize> screen_size(int descriptor) {
    const auto console = reinterpret_cast<HANDLE>(::_get_osfhandle(descriptor));
    CONSOLE_SCREEN_BUFFER_INFO info{};
    if (::GetConsoleScreenBufferInfo(console, &info) == 0) {
        return std::nullopt;
    }
    const SMALL_RECT& window = info.srWindow;
    return ScreenSize{std::size_t(window.Right - window.Left + 1),
                      std::size_t(window.Bottom - window.Top + 1)};
}

bool page_through(std::string_view) {
    return false;
}

}  // namespace attn

#endif
