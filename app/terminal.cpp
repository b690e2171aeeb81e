#include "terminal.hpp"

#include <sys/ioctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "files/sink.hpp"
#include "text/prose.hpp"

namespace attn {

namespace {

constexpr int standard_output = 1;
constexpr int standard_error = 2;

std::string_view environment(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

// Nothing where that is no terminal, 0 where a terminal does not say.
std::optional<winsize> terminal_size(int descriptor) {
    winsize size{};
    return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? std::optional(size) : std::nullopt;
}

std::optional<std::size_t> terminal_columns(int descriptor) {
    const std::optional<winsize> size = terminal_size(descriptor);
    return size ? std::optional<std::size_t>(size->ws_col) : std::nullopt;
}

// Through the pager; false where none is wished or there. A reader who leaves it early has seen enough.
bool page(std::string_view text) {
    const char* const wished = std::getenv("PAGER");
    const std::string_view pager = wished == nullptr ? "less" : wished;
    if (pager.empty() || pager == "cat") {
        return false;
    }
    ::setenv("LESS", "FRX", 0);  // stay if it fits, colours as they are, and leave the text on the screen
    ::setenv("LESSCHARSET", "utf-8", 0);
    const auto before = std::signal(SIGPIPE, SIG_IGN);
    std::FILE* const pipe = ::popen(std::string(pager).c_str(), "w");
    if (pipe == nullptr) {
        return false;
    }
    std::fwrite(text.data(), 1, text.size(), pipe);
    const int status = ::pclose(pipe);
    std::signal(SIGPIPE, before);
    constexpr int not_found = 127;
    return !WIFEXITED(status) || WEXITSTATUS(status) != not_found;
}

// COLUMNS, which overrides what the terminal says, as POSIX has it; 0: it is not set.
std::size_t columns_wished() {
    const std::string_view text = environment("COLUMNS");
    std::size_t columns = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), columns);
    return error == std::errc() && end == text.data() + text.size() ? columns : 0;
}

// The terminals of today have 256 colours even where TERM, as over ssh, does not say so; consoles do not.
ColourDepth depth_of_terminal() {
    const std::string_view colour = environment("COLORTERM");
    if (colour == "truecolor" || colour == "24bit") {
        return ColourDepth::direct;
    }
    constexpr std::array<std::string_view, 6> families{"xterm", "screen",    "tmux",
                                                       "rxvt",  "alacritty", "foot"};
    const std::string_view term = environment("TERM");
    const bool indexed =
        term.find("256color") != std::string_view::npos ||
        std::ranges::any_of(families, [&](std::string_view family) { return term.starts_with(family); });
    return indexed ? ColourDepth::indexed : ColourDepth::none;
}

ColourDepth colours(WhenToColour when) {
    const ColourDepth able = depth_of_terminal();
    const ColourDepth forced = able == ColourDepth::none ? ColourDepth::indexed : able;
    if (when != WhenToColour::automatically) {
        return when == WhenToColour::always ? forced : ColourDepth::none;
    }
    if (!environment("NO_COLOR").empty()) {  // https://no-color.org
        return ColourDepth::none;
    }
    if (!environment("FORCE_COLOR").empty()) {  // https://force-color.org
        return forced;
    }
    return environment("TERM") == "dumb" || !terminal_columns(standard_output) ? ColourDepth::none : able;
}

}  // namespace

std::size_t text_columns() {
    constexpr std::size_t least = 60;
    constexpr std::size_t most = 100;
    const std::optional<std::size_t> of_terminal = terminal_columns(standard_output);
    if (!of_terminal) {
        return prose_width;
    }
    const std::size_t columns = columns_wished() != 0 ? columns_wished() : *of_terminal;
    return columns == 0 ? prose_width : std::clamp(columns, least, most);
}

HeatmapStyle heatmap_style(WhenToColour when) {
    const std::size_t wished = columns_wished();
    const std::size_t columns = wished != 0 ? wished : terminal_columns(standard_output).value_or(0);
    return {colours(when), columns == 0 ? HeatmapStyle{}.width : columns};
}

std::size_t line_columns() {
    return output_is_terminal() ? text_columns() : std::numeric_limits<std::size_t>::max();
}

bool output_is_terminal() {
    return terminal_size(standard_output).has_value();
}

bool has_colour(WhenToColour when) {
    return colours(when) != ColourDepth::none;
}

void show(const Options& options, std::string_view text) {
    const std::optional<winsize> terminal = terminal_size(standard_output);
    const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
    if (!options.pager || !terminal || terminal->ws_row == 0 || lines < terminal->ws_row || !page(text)) {
        write_standard_output(text);
    }
}

std::size_t error_columns() {
    const std::optional<std::size_t> columns = terminal_columns(standard_error);
    return !columns ? 0 : *columns == 0 ? prose_width : *columns;
}

}  // namespace attn
