// Messages are translated where they are shown, and quoted text from users stays unchanged.
#include "text/message.hpp"

#include <doctest/doctest.h>

#include <string_view>

#include "tensor/error.hpp"

using namespace attn;

TEST_CASE("an error's text is its English wording") {
    const Error error("{}: expected {} to {}.", "a.json", 1, Message("a number"));
    CHECK(std::string_view(error.what()) == "a.json: expected 1 to a number.");
}

TEST_CASE("patterns are translated, arguments that are text are not") {
    const auto chinese = [](std::string_view pattern) {
        return std::string(pattern == "{} or {}" ? "{} 或 {}" : pattern == "a" ? "甲" : pattern);
    };
    CHECK(Message("{} or {}", "a", "b or c").worded(chinese) == "a 或 b or c");
    CHECK(Message("{} or {}", Message("a"), Message("{} or {}", 1, 2)).worded(chinese) == "甲 或 1 或 2");
}

TEST_CASE("a translation may order the arguments") {
    const auto reversed = [](std::string_view) { return std::string("{1} before {0}"); };
    CHECK(Message("{} after {}", "a", "b").worded(reversed) == "b before a");
}

TEST_CASE("braces are doubled in patterns with arguments, and stay in plain text and in arguments") {
    CHECK(Message("{{\"1\": 2}} {}", "{}").english() == "{\"1\": 2} {}");
    CHECK(Message("an object {}").english() == "an object {}");
    CHECK(Message::verbatim("{}").english() == "{}");
}
