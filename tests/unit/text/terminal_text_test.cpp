// Text as a terminal receives it: complete and truncated escape sequences, and characters of several code
// points.
#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "text/terminal.hpp"
#include "text/width.hpp"

using namespace attn;

TEST_CASE("escape sequences go, and one that is cut off takes no line but its own") {
    const std::pair<std::string_view, std::string_view> rows[] = {
        {"\x1b[1;31mred\x1b[0m and \x1b[?25lplain", "red and plain"},
        {"\x1b(Bplain\x1b=", "plain"},
        {"\x1b]0;a title\aplain", "plain"},
        {"\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\", "link"},
        {"注意\x1b[m 力", "注意 力"},
        {"plain\x1b", "plain"},
        {"plain\x1b(", "plain"},
        {"plain\x1b[1;3", "plain"},
        {"\x1b[1;3\nplain", "\nplain"},
        {"\x1b[1\x7Fplain", "\x7Fplain"},
        {"plain\x1b]0;a title", "plain"},
        {"\x1b]0;a title\nplain", "\nplain"},
        {"\x1b]0;a title\x1b[1mplain", "plain"},
    };
    for (const auto& [raw, shown] : rows) {
        CHECK(without_escapes(raw) == shown);
    }
}

TEST_CASE("half a flag is no flag") {
    const std::string half = "🇩";
    CHECK(glyph_at(half + "e", 0).bytes == half);
    CHECK(glyph_at(half + "\u0301", 0).bytes == half + "\u0301");
    CHECK(glyph_at(half + "🇪", 0).bytes == half + "🇪");
}
