// The manual page, in the macros of man(7).
#include <fmt/format.h>

#include <array>

#include "option_table.hpp"
#include "shell/generate.hpp"
#include "shell/help.hpp"
#include "stages/catalogue.hpp"
#include "text/utf8.hpp"
#include "words/narration.hpp"

namespace attn {

namespace {

// Text that roff reads as itself: signs of its own and whatever is not ASCII are named, and a hyphen is the
// one to be typed.
std::string roff(std::string_view text) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const CodePoint point = decode_utf8(text, at);
        constexpr char32_t last_ascii = 0x7F;
        constexpr std::string_view signs = "\\-";
        constexpr std::array<std::string_view, 2> names{"\\e", "\\-"};
        if (point.value > last_ascii) {
            result += fmt::format("\\[u{:04X}]", static_cast<std::uint32_t>(point.value));
        } else if (const std::size_t sign = signs.find(text[at]); sign != std::string_view::npos) {
            result += names.at(sign);
        } else {
            result += text[at];
        }
        at += point.length;
    }
    return result.find_first_of(".'") == 0 ? "\\&" + result : result;
}

std::string section(std::string_view heading, std::string_view lines) {
    return fmt::format(".SH {}\n{}", heading, lines);
}

std::string entry(std::string_view name, std::string_view what) {
    return fmt::format(".TP\n.B {}\n{}\n", roff(name), roff(what));
}

std::string example_lines() {
    std::string text;
    for (const Example& example : examples()) {
        text += fmt::format(".TP\n{}\n.B {}\n", roff(example.what), roff(example.command));
    }
    return text;
}

std::string stage_lines() {
    std::string text;
    for (const Stage* stage : catalogue()) {
        text += entry(stage->name, Narration("en", stage->name).title());
    }
    return text;
}

std::string option_lines() {
    std::string text;
    for (const OptionRow& row : option_table()) {
        if (!row.heading.empty()) {
            text += fmt::format(".SS {}\n", roff(row.heading));
        }
        text += entry(invocation(row), row.help);
    }
    return text;
}

std::string exit_lines() {
    std::string text;
    for (const ExitStatus& status : exit_statuses()) {
        text += entry(status.code, status.meaning);
    }
    return text;
}

}  // namespace

std::string manual_page() {
    return fmt::format(".TH ATTN\\-WALKTHROUGH 1 \"\" \"attn\\-walkthrough {}\" \"User Commands\"\n",
                       ATTN_VERSION) +
           section("NAME", "attn\\-walkthrough \\- " + roff(summary) + "\n") +
           section("SYNOPSIS", ".B attn\\-walkthrough\n.RI [ STAGE... ]\n.RI [ options ]\n") +
           section("EXAMPLES", example_lines()) + section("STAGES", stage_lines()) +
           section("OPTIONS", option_lines()) + section("EXIT STATUS", exit_lines()) +
           section("ENVIRONMENT", entry("LC_ALL, LC_MESSAGES, LANG",
                                        "The first that is set chooses the language of titles and notes.") +
                                      entry("COLUMNS", "The width of the help on a terminal."));
}

}  // namespace attn
