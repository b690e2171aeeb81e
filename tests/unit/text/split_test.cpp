// Splitting texts at separators.
#include "text/split.hpp"

#include <doctest/doctest.h>

using namespace attn;

TEST_CASE("a text is split as Python's splitlines does it") {
    using Parts = std::vector<std::string_view>;
    CHECK(split_lines("").empty());
    CHECK(split_lines("a\n\nb\n") == Parts{"a", "", "b"});
    CHECK(split_lines("\n") == Parts{""});
    CHECK(split("transformer.h.3", ".") == Parts{"transformer", "h", "3"});
}
