// Messages in the reader's language. tests/sources/check_messages.py compares all texts of both languages.
#include "words/translation.hpp"

#include <doctest/doctest.h>

using namespace attn;

TEST_CASE("a message is worded in Chinese, and what it quotes stays as it was given") {
    const auto chinese = [](const Message& message) { return worded(message, "zh"); };
    CHECK(chinese(Message("{}: there is no such file; give the path of one, or - for standard input.",
                          "Numbers")) == "Numbers：没有这个文件；请给出文件的路径，或用 - 表示标准输入。");
    CHECK(chinese(Message("{}: at {}: {}", "a or b.json", "/1",
                          Message("expected {} but found {}.", Message("a number"), Message("an array")))) ==
          "a or b.json：/1 处：应为数，但找到数组。");
    CHECK(chinese(Message("no such sentence: {}", 1)) == "no such sentence: 1");
}

TEST_CASE("a text without a translation stays English") {
    CHECK(translated("this or that way", "zh") == "this or that way");
    CHECK(translated("", "zh") == "");
    CHECK(translated("a value is missing.", "en") == "a value is missing.");
}
