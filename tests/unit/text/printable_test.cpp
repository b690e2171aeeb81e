// Text from outside cannot control a terminal; for a wrong name, the right one is suggested.
#include "text/printable.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/suggest.hpp"

using namespace attn;

TEST_CASE("ordinary text of any language stays as it is") {
    for (const std::string_view text : {"", "journey", "旅程", "naïve café", "👩", "a\\b\"c'", "~ !"}) {
        CHECK(printable(text) == text);
    }
}

TEST_CASE(
    "what commands a terminal, nobody sees or is ill-formed is spelled out, and its neighbours are not") {
    const std::pair<std::string_view, std::string_view> rows[] = {
        {"\x1b]52;c;aGk=\x07", "\\x1b]52;c;aGk=\\x07"},  // clipboard write
        {"\x1b[2J\r\n\t", "\\x1b[2J\\x0d\\x0a\\x09"},
        {"\xc2\x9b"
         "6n",
         "\\x9b6n"},  // 8-bit CSI
        {"\x7f", "\\x7f"},
        {std::string_view("\0", 1), "\\x00"},
        {"\u202egnp.exe", "\\u202egnp.exe"},
        {"\u061c\u200b\u200f\u2028\u2029\u202a\u2060\u2066\u2069\ufeff",
         "\\u061c\\u200b\\u200f\\u2028\\u2029\\u202a\\u2060\\u2066\\u2069\\ufeff"},
        {"a\u00adb\u034f\u115f\u180e\u2061\u206a\u3164\uffa0\ufff9",
         "a\\xadb\\u034f\\u115f\\u180e\\u2061\\u206a\\u3164\\uffa0\\ufff9"},
        {"\U000e0041\U0001d173", "\\U000e0041\\U0001d173"},  // a letter as a tag
        {"❤\ufe0f ❤\ufe0e", "❤\ufe0f ❤\ufe0e"},
        {"👩\u200d🚀", "👩\\u200d🚀"},
        {"\u061b\u061d\u200a\u2010\u2027\u202f\u205f\u2070\u00a0\u00ac\u00ae\ufffc\U000e0100",
         "\u061b\u061d\u200a\u2010\u2027\u202f\u205f\u2070\u00a0\u00ac\u00ae\ufffc\U000e0100"},
        {"a\x80z", "a\\x80z"},
        {"\xc0\xaf", "\\xc0\\xaf"},                    // overlong
        {"\xe0\x9f\xbf", "\\xe0\\x9f\\xbf"},           // overlong
        {"\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf"},  // overlong
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},           // a surrogate
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},  // beyond 10FFFF
        {"\xf5\xff", "\\xf5\\xff"},
        {"\xe6\x97", "\\xe6\\x97"},  // cut short
        {"\xed\x9f\xbf\xf4\x8f\xbf\xbd", "\xed\x9f\xbf\xf4\x8f\xbf\xbd"},
        {"\ufdcf\ufdd0\ufdef\ufdf0\ufffd\ufffe\uffff\U0001fffe\U0010ffff",
         "\ufdcf\\ufdd0\\ufdef\ufdf0\ufffd\\ufffe\\uffff\\U0001fffe\\U0010ffff"},
    };
    for (const auto& [raw, shown] : rows) {
        CHECK(printable(raw) == shown);
    }
}

TEST_CASE("a literal of Python is the text whatever is in it") {
    CHECK(python_literal("h.0.attn") == R"("h.0.attn")");
    CHECK(python_literal(R"(h"] if 0 else __import__("os") #)") ==
          R"("h\"] if 0 else __import__(\"os\") #")");
    CHECK(python_literal("a\\\x1b\n\u202e旅") == "\"a\\\\\\x1b\\x0a\\u202e旅\"");
}

TEST_CASE("a long text is cut between characters") {
    CHECK(printable("旅程旅程", 2) == "旅程…");
    CHECK(printable("旅程", 2) == "旅程");
    CHECK(in_quotes(std::string(61, 'x')) == '"' + std::string(60, 'x') + "…\"");
}

TEST_CASE("the nearest name is suggested, and none when nothing is near") {
    struct Case {
        std::string_view typed, meant;
        std::vector<std::string_view> names{"causal", "causal-batch", "linear", "scaling"};
    };
    const std::string endless(1000000, 'c'), longest(100, 'k'), longer(101, 'k');
    for (const Case& one : {Case{"casual", "causal"},  // a swap
                            {"causl", "causal"},
                            {"causal-bach", "causal-batch"},
                            {"linera", "linear"},
                            {"lonear", "linear"},
                            {"lonely", ""},
                            {"uqiz", "quiz", {"quiz"}},
                            {"seed", "--seed", {"--seed"}},
                            {"--list", "list", {"list"}},
                            {"softmax", ""},
                            {"", ""},
                            {endless, ""},
                            {longest, "", {longer, "keys"}},  // nobody could have meant it
                            {"key", "keys", {longer, "keys"}},
                            {"ab", "abc", {"abc", "ac"}},
                            {"causal", "causal\\x1b", {"causal\x1b"}}}) {
        const std::string question = one.meant.empty() ? "" : fmt::format(" Did you mean \"{}\"?", one.meant);
        CHECK(did_you_mean(one.typed, one.names).english() == question);
    }
}
