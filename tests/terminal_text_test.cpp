// Escape sequences, whole and cut off, in what is copied from a terminal.
#include <doctest/doctest.h>

#include "text/terminal.hpp"

using attn::without_escapes;

TEST_CASE("escape sequences go, and nothing else") {
    CHECK(without_escapes("\x1b[1;31mred\x1b[0m and \x1b[?25lplain") == "red and plain");
    CHECK(without_escapes("\x1b(Bplain\x1b=") == "plain");
    CHECK(without_escapes("\x1b]0;a title\aplain") == "plain");
    CHECK(without_escapes("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\") == "link");
    CHECK(without_escapes("注意\x1b[m 力") == "注意 力");
}

TEST_CASE("a sequence that is cut off takes no line but its own") {
    CHECK(without_escapes("plain\x1b") == "plain");
    CHECK(without_escapes("plain\x1b(") == "plain");
    CHECK(without_escapes("plain\x1b[1;3") == "plain");
    CHECK(without_escapes("\x1b[1;3\nplain") == "\nplain");
    CHECK(without_escapes("\x1b[1\x7Fplain") == "\x7Fplain");
    CHECK(without_escapes("plain\x1b]0;a title") == "plain");
    CHECK(without_escapes("\x1b]0;a title\nplain") == "\nplain");
    CHECK(without_escapes("\x1b]0;a title\x1b[1mplain") == "plain");
}
