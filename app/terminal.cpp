#include "terminal.hpp"

#include <sys/ioctl.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "views/prose.hpp"

namespace attn {

namespace {

constexpr int standard_output = 1;
constexpr int standard_error = 2;

// Nothing where that is no terminal, 0 where a terminal does not say.
std::optional<std::size_t> terminal_columns(int descriptor) {
    winsize size{};
    return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? std::optional<std::size_t>(size.ws_col)
                                                       : std::nullopt;
}

// COLUMNS, which overrides what the terminal says, as POSIX has it; 0: it is not set.
std::size_t columns_wished() {
    const char* const variable = std::getenv("COLUMNS");
    const std::string_view text = variable == nullptr ? "" : variable;
    std::size_t columns = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), columns);
    return error == std::errc() && end == text.data() + text.size() ? columns : 0;
}

}  // namespace

std::size_t help_columns() {
    constexpr std::size_t least = 60;
    constexpr std::size_t most = 100;
    const std::optional<std::size_t> of_terminal = terminal_columns(standard_output);
    if (!of_terminal) {
        return prose_width;
    }
    const std::size_t columns = columns_wished() != 0 ? columns_wished() : *of_terminal;
    return columns == 0 ? prose_width : std::clamp(columns, least, most);
}

bool standard_error_is_terminal() {
    return terminal_columns(standard_error).has_value();
}

}  // namespace attn
