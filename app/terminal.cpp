#include "terminal.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "files/sink.hpp"
#include "screen.hpp"
#include "text/prose.hpp"

namespace attn {

namespace {

constexpr int standard_output = 1;
constexpr int standard_error = 2;

std::string_view environment(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::optional<std::size_t> terminal_columns(int descriptor) {
    const std::optional<ScreenSize> size = screen_size(descriptor);
    return size ? std::optional(size->columns) : std::nullopt;
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
    const bool is_plain = !environment("NO_COLOR").empty() ||  // https://no-color.org
                          environment("TERM") == "dumb" || !output_is_terminal();
    if (when == WhenToColour::never || (when == WhenToColour::automatically && is_plain)) {
        return ColourDepth::none;
    }
    return when == WhenToColour::always && able == ColourDepth::none ? ColourDepth::indexed : able;
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
    return screen_size(standard_output).has_value();
}

bool has_colour(WhenToColour when) {
    return colours(when) != ColourDepth::none;
}

void show(const Options& options, std::string_view text) {
    const std::optional<ScreenSize> terminal = screen_size(standard_output);
    const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
    if (!options.pager || !terminal || terminal->rows == 0 || lines < terminal->rows || !page_through(text)) {
        write_standard_output(text);
    }
}

std::size_t error_columns() {
    const std::optional<std::size_t> columns = terminal_columns(standard_error);
    return !columns ? 0 : *columns == 0 ? prose_width : *columns;
}

}  // namespace attn
