// Prints the manual page, in the macros of man(7), from the helps of all commands.
#include <fmt/format.h>

#include "answers/help.hpp"
#include "commands/declare.hpp"
#include "terminal.hpp"
#include "text/utf8.hpp"

namespace attn {

namespace {

// Escapes text for roff: its own signs and all characters outside ASCII.
std::string roff(std::string_view text) {
    std::string lines = ".nf\n";
    for (std::size_t at = 0; at < text.size();) {
        const CodePoint point = decode_utf8(text, at);
        constexpr char32_t last_ascii = 0x7F;
        if (point.value > last_ascii) {
            lines += fmt::format("\\[u{:04X}]", std::uint32_t(point.value));
        } else {
            const bool is_control = (text[at] == '.' || text[at] == '\'') && lines.ends_with('\n');
            lines += is_control ? "\\&" : text[at] == '-' ? "\\" : text[at] == '\\' ? "\\\\" : "";
            lines += text[at] == '\\' ? 'e' : text[at];
        }
        at += point.length;
    }
    return lines + ".fi\n";
}

std::string manual_page() {
    std::string helps;
    for (const Command& command : commands()) {
        helps += fmt::format(".SS {}\n{}", command.name, roff(command_help(command, "en", true)));
    }
    return fmt::format(
        R"(.TH ATTN\-WALKTHROUGH 1 "" "attn\-walkthrough {}" "User Commands"
.SH NAME
attn\-walkthrough \- attention, digit for digit
.SH SYNOPSIS
{}.SH COMMANDS
{}.SH STAGES
{}.SH EXIT STATUS
{}.SH ENVIRONMENT
{})",
        ATTN_VERSION, roff("attn-walkthrough [COMMAND] [STAGE…] [options]\n"), helps,
        roff(list_of_stages("en")),
        roff("0  done, and everything compared agrees\n"
             "1  done, and something differs\n"
             "2  bad arguments, bad data, nothing to compare, or output that could not be written\n"),
        roff("LC_ALL, LC_MESSAGES, LANG  the first that is set chooses the language\n"
             "NO_COLOR                   no colours\n"
             "PAGER                      shows long text; default: less\n"));
}

ExitCode run_man(Options& options) {
    write_answer(options, manual_page());
    return ExitCode::agrees;
}

}  // namespace

Command man_command() {
    return {
        .name = "man",
        .summary = "Print the manual page.",
        .examples = {{"attn-walkthrough man | man -l -", "read the manual page"}},
        .declare = declaring(run_man),
    };
}

}  // namespace attn
