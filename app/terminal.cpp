#include "terminal.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>

#include "files/sink.hpp"
#include "screen.hpp"
#include "text/decimal.hpp"
#include "text/prose.hpp"

namespace attn {

namespace {

constexpr int standard_output = 1;

std::string_view environment(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

// Returns the mode of 256 colours, or that of 24-bit colours if the terminal announces it.
ColourDepth colours(WhenToColour when) {
    const std::string_view term = environment("TERM");
    const std::string_view depth = environment("COLORTERM");
    const bool is_plain = !environment("NO_COLOR").empty() ||  // https://no-color.org
                          term.empty() || term == "dumb" || !output_is_terminal();
    if (when == WhenToColour::never || (when == WhenToColour::automatically && is_plain)) {
        return ColourDepth::none;
    }
    return depth == "truecolor" || depth == "24bit" ? ColourDepth::direct : ColourDepth::indexed;
}

std::size_t& chosen_columns() {
    static std::size_t columns = 0;  // 0: those of the terminal
    return columns;
}

// Returns the width in COLUMNS, as shells set it; 0 if there is none.
std::size_t columns_of_shell() {
    std::uint64_t columns = 0;
    return read_whole(environment("COLUMNS"), columns) ? std::size_t(std::min<std::uint64_t>(columns, 1000))
                                                       : 0;
}

// Returns the chosen width, or that of the terminal, or of the shell; 0 if none is known.
std::size_t terminal_columns() {
    const std::optional<ScreenSize> screen = screen_size(standard_output);
    return chosen_columns() != 0 ? chosen_columns() : screen ? screen->columns : columns_of_shell();
}

}  // namespace

void choose_columns(std::size_t columns) {
    chosen_columns() = columns;
}

std::size_t text_columns() {
    constexpr std::size_t most = 100;
    const std::size_t columns = terminal_columns();
    return columns == 0            ? prose_width
           : chosen_columns() != 0 ? columns
                                   : std::clamp(columns, least_columns, most);
}

std::string paragraph(std::string_view text) {
    return wrapped(text, text_columns());
}

HeatmapStyle heatmap_style(WhenToColour when) {
    const std::size_t columns = terminal_columns();
    return {colours(when), columns == 0 ? HeatmapStyle{}.width : columns};
}

std::size_t line_columns() {
    return output_is_terminal() || chosen_columns() != 0 ? text_columns()
                                                         : std::numeric_limits<std::size_t>::max();
}

bool output_is_terminal() {
    return screen_size(standard_output).has_value();
}

bool messages_are_plain() {
    return environment("ATTN_MESSAGES") == "plain";
}

void show(const Options& options, std::string_view text) {
    const std::size_t rows = screen_size(standard_output).value_or(ScreenSize{}).rows;
    const auto lines = std::size_t(std::ranges::count(text, '\n'));
    if (options.is_rehearsal || options.no_pager || rows == 0 || lines < rows || !page_through(text)) {
        write_answer(options, text);
    }
}

void write_answer(const Options& options, std::string_view text) {
    if (!options.is_rehearsal) {
        write_standard_output(text);
    }
}

}  // namespace attn
