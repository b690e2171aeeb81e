// The manual page, in the macros of man(7), from what the commands declare.
#include <fmt/format.h>

#include <array>

#include "commands/declared.hpp"
#include "files/sink.hpp"
#include "stages/catalogue.hpp"
#include "text/utf8.hpp"
#include "words/narration.hpp"

namespace attn {

namespace {

// Text that roff reads as itself: its own signs and whatever is not ASCII are named, and a hyphen is the one
// to be typed.
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

std::string roff_section(std::string_view heading, std::string_view lines) {
    return fmt::format(".SH {}\n{}", heading, lines);
}

std::string roff_entry(std::string_view name, std::string_view what) {
    return fmt::format(".TP\n.B {}\n{}\n", roff(name), roff(what));
}

std::string command_sections(Program& program) {
    std::string text;
    for (const Command* command : program.shown()) {
        text += fmt::format(".SS {}\n{}\n.PP\n.B attn\\-walkthrough {} {}\n", roff(command->name),
                            roff(command->summary), roff(command->name), roff(command->words));
        for (const Example& example : command->examples) {
            text += roff_entry(example.command, example.what);
        }
        for (const CLI::Option* option : declared_options(*command)) {
            text += roff_entry(invocation(*option), option->get_description());
        }
    }
    return text;
}

std::string manual_page(Program& program) {
    std::string stages;
    for (const Stage* stage : catalogue()) {
        stages += roff_entry(stage->name, Narration("en", stage->name).title());
    }
    return fmt::format(".TH ATTN\\-WALKTHROUGH 1 \"\" \"attn\\-walkthrough {}\" \"User Commands\"\n",
                       ATTN_VERSION) +
           roff_section("NAME", "attn\\-walkthrough \\- " + roff(program_summary) + "\n") +
           roff_section("SYNOPSIS",
                        ".B attn\\-walkthrough\n.RI [ COMMAND ]\n.RI [ STAGE... ]\n.RI [ options ]\n") +
           roff_section("COMMANDS", command_sections(program)) + roff_section("STAGES", stages) +
           roff_section("EXIT STATUS",
                        roff_entry("0", "done, and everything compared agrees") +
                            roff_entry("1", "done, and something differs") +
                            roff_entry("2",
                                       "wrong arguments, bad data, nothing to compare, or output that could "
                                       "not be written")) +
           roff_section("ENVIRONMENT", roff_entry("LC_ALL, LC_MESSAGES, LANG",
                                                  "The first that is set chooses the language.") +
                                           roff_entry("COLUMNS", "The width of prose on a terminal."));
}

ExitCode run_man(Command& command) {
    write_standard_output(manual_page(*command.program));
    return ExitCode::agrees;
}

}  // namespace

Command man_command() {
    return {
        .name = "man",
        .summary = "Print the manual page.",
        .examples = {{"attn-walkthrough man | man -l -", "read it"}},
        .run = run_man,
    };
}

}  // namespace attn
