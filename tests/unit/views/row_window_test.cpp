// Windows of rows: their syntax, and the code of slices. oracle/doctest_text.py compares the rows that random
// windows print with PyTorch.
#include "views/text/row_window.hpp"

#include <doctest/doctest.h>

#include <string_view>

using namespace attn;

namespace {

RowWindow window(std::string_view text) {
    return read_row_window(text).value();
}

}  // namespace

TEST_CASE("a window reads as Python and C++ write it") {
    struct Case {
        std::string_view window;
        std::size_t rank;
        std::string_view code;
    };
    for (const Case& one : {Case{"2:5", 1, "x[2:5]"},
                            {":5", 2, "x[:5]"},
                            {"-3:", 3, "x[..., -3:, :]"},
                            {":", 4, "x[..., :, :]"},
                            {"02:-0", 2, "x[2:0]"}}) {  // Python does not allow 02
        CHECK(python_slice("x", window(one.window), one.rank) == one.code);
    }
    CHECK(cpp_slice("x", window("2:5"), 1) == "slice(x, -1, 2, 5)");
    CHECK(cpp_slice("x", window("-3:"), 3) == "slice(x, -2, -3)");
    CHECK(cpp_slice("x", window(":5"), 2) == "slice(x, -2, {}, 5)");
}

TEST_CASE("a window is two numbers with a colon between them, each of which may be left out") {
    for (const std::string_view text : {"", "2", "a:b", "1:2:3", "::", " 1:2", "1:2 ", "+1:2", "-:2", "1.0:2",
                                        "1000000001:", ":-1000000001", "99999999999999999999:"}) {
        CAPTURE(text);
        CHECK_FALSE(read_row_window(text));
    }
    CHECK(read_row_window("1000000000:-1000000000"));
}
