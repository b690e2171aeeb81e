// The columns that text takes on a terminal, and lines cut, padded and broken accordingly.
#include "text/width.hpp"

#include <doctest/doctest.h>

#include <string_view>

#include "text/prose.hpp"

using namespace attn;

TEST_CASE("a text is as wide as a terminal draws it") {
    struct Case {
        std::string_view text;
        std::size_t columns;
    };
    // clang-format off
    constexpr Case cases[] = {
        {"", 0},
        {"journey", 7},
        {"naïve Â ′ √ … →", 15},
        {"旅程", 4},
        {"，。（）「」", 12},
        {"ＡＢ", 4},  // full-width Latin
        {"ｱｲ", 2},  // half-width kana
        {"かな カナ", 9},
        {"한국어", 6},
        {"\u1112\u1161\u11ab", 2},  // the syllable 한 in its three parts
        {"e\u0301", 1},  // e and a combining accent
        {"\u0301", 0},
        {"नमस्ते", 4},  // न म स त; the signs above and below them take no column
        {"👩", 2},
        {"👩\u200d💻", 2},  // woman, joiner, laptop: one picture
        {"👍🏽", 2},  // with a skin tone
        {"🇨🇳🇫🇷", 4},  // two flags of two letters each
        {"☀", 1},
        {"☀\ufe0f", 2},  // shown as an emoji
        {"1\u200d2", 2},
        {"\xff\xfe", 2},  // invalid UTF-8: one replacement sign each
    };
    // clang-format on
    for (const Case& one : cases) {
        CAPTURE(one.text);
        CHECK(display_width(one.text) == one.columns);
    }
}

TEST_CASE("a text is cut between glyphs and says so") {
    struct Case {
        std::string_view text;
        std::size_t columns;
        std::string_view cut;
    };
    for (const Case& one : {Case{"journey", 7, "journey"},
                            {"journey", 6, "journ…"},
                            {"journey", 1, "…"},
                            {"旅程开始", 8, "旅程开始"},
                            {"旅程开始", 7, "旅程开…"},
                            {"旅程开始", 6, "旅程…"},  // half of a wide character cannot be shown
                            {"e\u0301e\u0301e\u0301", 2, "e\u0301…"},
                            {"👩\u200d💻👩\u200d💻", 3, "👩\u200d💻…"}}) {
        CHECK(cut_to(one.text, one.columns) == one.cut);
    }
}

TEST_CASE("columns are filled by width, not by bytes") {
    CHECK(pad_right("旅程", 6) == "旅程  ");
    CHECK(pad_left("旅程", 6) == "  旅程");
    CHECK(pad_right("journey", 3) == "journey");
    CHECK(pad_left("", 2) == "  ");
}

TEST_CASE("Chinese prose is broken at the width of a line, and never before a comma or after a bracket") {
    std::string_view forty =
        "因果注意力只能看到当前词和它之前的词因果注意力只能看到当前词和它之前的词因果注意";
    REQUIRE(display_width(forty) == 80);
    const std::string line(forty);
    const std::string shorter = line.substr(0, line.size() - 3);
    const std::pair<std::string, std::string> rows[] = {
        {line, line + "\n"},
        {line + "力", line + "\n力\n"},
        {line + "。力", shorter + "\n意。力\n"},
        {shorter + "（力）", shorter + "\n（力）\n"},
        {shorter + "“力”", shorter + "\n“力”\n"},
        {line + "softmax", line + "\nsoftmax\n"},
        {shorter + "softmax，力", shorter + "\nsoftmax，力\n"},
        {line + " softmax 力", line + "\nsoftmax 力\n"},
    };
    for (const auto& [prose, lines] : rows) {
        CHECK(wrapped(prose) == lines);
    }
}

TEST_CASE("prose with spaces is broken at spaces alone") {
    const std::string word(40, 'x');
    CHECK(wrapped("one two") == "one two\n");
    CHECK(wrapped(word + " " + word.substr(1)) == word + " " + word.substr(1) + "\n");
    CHECK(wrapped(word + " " + word) == word + "\n" + word + "\n");
    CHECK(wrapped("a " + word + word + "xx b") == "a\n" + word + word + "xx\nb\n");
    CHECK(wrapped("") == "\n");
    CHECK(hanging("a: ", word + " " + word, 50) == "a: " + word + "\n   " + word + "\n");
}
