// Text as a terminal receives it: complete and truncated escape sequences, characters of several code points,
// and misspelt words.
#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "text/suggest.hpp"
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

TEST_CASE("half a flag is no flag, and no name is suggested that nobody could have meant") {
    const std::string half = "🇩";
    CHECK(glyph_at(half + "e", 0).bytes == half);
    CHECK(glyph_at(half + "\u0301", 0).bytes == half + "\u0301");
    CHECK(glyph_at(half + "🇪", 0).bytes == half + "🇪");
    const std::string endless(101, 'k');
    const std::string_view candidates[] = {endless, "keys"};
    CHECK(did_you_mean("key", candidates).english() == " Did you mean \"keys\"?");
    CHECK(did_you_mean(std::string(100, 'k'), candidates).empty());
}
