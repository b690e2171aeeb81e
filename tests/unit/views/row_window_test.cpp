// The syntax of windows of rows. oracle/doctest_text.py and cli/cpp_lines.py run the slices of many windows.
#include "views/document/row_window.hpp"

#include <doctest/doctest.h>

#include <string_view>

using namespace attn;

TEST_CASE("a window reads as Python allows it") {
    CHECK(python_slice("x", *read_row_window("02:-0"), 2) == "x[2:0]");
}

TEST_CASE("a window is a row, or two numbers with a colon between them, each of which may be left out") {
    for (const std::string_view text : {"", "a:b", "1:2:3", "::", " 1:2", "1:2 ", "+1:2", "-:2", "1.0:2",
                                        "1000000001:", ":-1000000001", "99999999999999999999:"}) {
        CAPTURE(text);
        CHECK_FALSE(read_row_window(text));
    }
    CHECK(read_row_window("1000000000:-1000000000"));
    CHECK(python_slice("x", *read_row_window("2"), 2) == "x[2:3]");
}
