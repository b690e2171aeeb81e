#if !defined(_WIN32)

#include "screen.hpp"

#include <sys/ioctl.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace attn {

void prepare_streams() {}

std::optional<ScreenSize> screen_size(int descriptor) {
    winsize size{};
    return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? std::optional(ScreenSize{size.ws_col, size.ws_row})
                                                       : std::nullopt;
}

bool page_through(std::string_view text) {
    const char* const wished = std::getenv("PAGER");
    const std::string_view pager = wished == nullptr ? "less" : wished;
    if (pager.empty() || pager == "cat") {
        return false;
    }
    // Less ends if the text fits on the screen, keeps colours, and does not clear the screen.
    ::setenv("LESS", "FRX", 0);
    ::setenv("LESSCHARSET", "utf-8", 0);
    const auto before = std::signal(SIGPIPE, SIG_IGN);
    std::FILE* const pipe = ::popen(std::string(pager).c_str(), "w");
    if (pipe == nullptr) {
        return false;
    }
    const auto interrupt = std::signal(SIGINT, SIG_IGN);  // only the pager reacts to Ctrl-C
    std::fwrite(text.data(), 1, text.size(), pipe);
    const int status = ::pclose(pipe);
    std::signal(SIGINT, interrupt);
    std::signal(SIGPIPE, before);
    constexpr int not_found = 127;
    return !WIFEXITED(status) || WEXITSTATUS(status) != not_found;
}

}  // namespace attn

#endif
