// Valid and invalid JSON, the place of an error, and access to values.
#include "files/json.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "refusal.hpp"
#include "tensor/error.hpp"
#include "text/utf8.hpp"
#include "texts.hpp"

using namespace attn;

namespace {

JsonView parsed_json(std::string_view text) {
    return parse_json(text, "x.json");
}

std::string json_refusal(std::string_view text) {
    return refusal_of([&] { parsed_json(text); });
}

// Returns the error of reading the value of `text` with a function.
template <class Ask>
std::string complaint(std::string_view text, Ask ask) {
    const JsonView json = parsed_json(text);
    return refusal_of([&] { ask(json); });
}

std::string nested(std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
}

}  // namespace

// The texts of JSONTestSuite, github.com/nst/JSONTestSuite at 1ef36fa01286573e846ac449e8683f8833c5b26a, after
// their names, with a character for each byte: y_ is JSON, n_ is not, and i_ may be refused. Two texts of
// 100,000 and more brackets are left out. We read i_ texts with a byte order mark or with numbers that only
// lose digits, and refuse duplicate keys, which the standard allows.
TEST_CASE("JSON is read, and other texts are refused where they err") {
    std::ifstream file(ATTN_TESTS "/unit/files/json_test_suite.json");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const JsonView suite = parsed_json(text);
    REQUIRE((suite.at("read").size() == 99 && suite.at("refused").size() == 217));
    const auto message_of = [](const std::string& entry) {
        std::string text;
        for (std::size_t at = entry.find('\n') + 1; at < entry.size();) {
            const CodePoint byte = decode_utf8(entry, at);
            text += static_cast<char>(byte.value);
            at += byte.length;
        }
        return json_refusal(text);
    };
    for (const std::string& entry : suite.at("read").strings()) {
        CHECK_MESSAGE(message_of(entry).empty(), entry);
    }
    for (const std::string& entry : suite.at("refused").strings()) {
        const std::string message = message_of(entry);
        const bool names_place =
            message.starts_with("x.json:") && has(message, "\n  ") && message.ends_with("^");
        const bool names_cause =
            has(message, "duplicate key") || message == "x.json: nested more than 32 deep.";
        CHECK_MESSAGE((names_place || names_cause), entry);
    }
}

TEST_CASE("a syntax error shows its line and column, the line and the likely cause") {
    struct Case {
        std::string_view text, place, cause, line, before_caret;
    };
    for (const Case& one : {
             Case{"{\n  \"tokens\": [\"Your\", ],\r\n}", "2:22",
                  "JSON allows no comma after the last element.", "  \"tokens\": [\"Your\", ],",
                  "                     "},
             {"[0.43 0.15]", "1:7", "A comma or a closing bracket is missing.", "[0.43 0.15]", "      "},
             {"[\"ab\" \"cd\"]", "1:10", "A comma or a closing bracket is missing.", "[\"ab\" \"cd\"]",
              "         "},
             {"[1 false]", "1:4", "A comma or a closing bracket is missing.", "[1 false]", "   "},
             {"[-Infinity]", "1:2", "Expected a finite number such as 0.5, -1 or 1e-3.", "[-Infinity]", " "},
             {"[NaN]", "1:2", "Outside quotes, JSON allows only true, false, null and finite numbers.",
              "[NaN]", " "},
             {"{'tokens': 1}", "1:2", "JSON strings need double quotes.", "{'tokens': 1}", " "},
             {"{1: 1}", "1:2", "A key in double quotes is missing.", "{1: 1}", " "},
             {"{\"a\" 1}", "1:6", "A colon is missing.", "{\"a\" 1}", "     "},
             {"[,1]", "1:2", "A value is missing.", "[,1]", " "},
             {"[1] // all", "1:5", "JSON allows no comments.", "[1] // all", "    "},
             {"[1]]", "1:4", "Unexpected text after the end of the value.", "[1]]", "   "},
             {"[1, 2\n\n", "1:6", "The text ends before all brackets are closed.", "[1, 2", "     "},
             {"", "1:1", "The text ends before all brackets are closed.", "", ""},
             {"[\"ab", "1:5", "The string is not closed, or has a character that must be escaped.", "[\"ab",
              "    "},
             {"[1, -1e400]", "1:5", "This number is outside the range of double, ±1.7976931348623157e308.",
              "[1, -1e400]", "    "},
         }) {
        CHECK(json_refusal(one.text) == fmt::format("x.json:{}: invalid JSON. {}\n  {}\n  {}^", one.place,
                                                    one.cause, one.line, one.before_caret));
    }
}

TEST_CASE("columns count characters, the caret counts cells, and nothing in the line commands the terminal") {
    CHECK(json_refusal("[\"旅程\" x]") ==
          "x.json:1:7: invalid JSON. Outside quotes, JSON allows only true, false, null and finite "
          "numbers.\n  [\"旅程\" "
          "x]\n          ^");
    CHECK(json_refusal("\t[\"\x7f\u202e\", ]") ==
          "x.json:1:9: invalid JSON. JSON allows no comma after the last element.\n"
          "   [\"\\x7f\\u202e\", ]\n"
          "                  ^");
    CHECK_THROWS_WITH_AS(
        parse_json("[", "a\x1b.json"),
        "a\\x1b.json:1:2: invalid JSON. The text ends before all brackets are closed.\n  [\n   ^", Error);
}

TEST_CASE("of a long line a window is shown") {
    const std::string text = std::string("[\"").append(1000, 'a').append("\"x\"").append(1000, 'b') + "\"]";
    CHECK(json_refusal(text) ==
          "x.json:1:1004: invalid JSON. Outside quotes, JSON allows only true, false, null and finite "
          "numbers.\n  …" +
              std::string(59, 'a') + "\"x\"" + std::string(18, 'b') + "…\n  " + std::string(61, ' ') + "^");
}

TEST_CASE("duplicate keys are refused, and named") {
    CHECK(json_refusal("{\"a\": 1, \"b\": [0, {\"c/d\": 1, \"e\": 2, \"c/d\": 3}]}") ==
          "x.json: duplicate key \"c/d\" in one object; keep one.");
    CHECK(json_refusal("{\"\": 1, \"\": 1}") == "x.json: duplicate key \"\" in one object; keep one.");
    CHECK(json_refusal("[{\"a\": 1}, {\"a\": 1}]").empty());
}

TEST_CASE("depth is limited") {
    CHECK(json_refusal(nested(max_json_depth)).empty());
    CHECK(json_refusal("{\"a\":" + nested(max_json_depth) + "}") == "x.json: nested more than 32 deep.");
}

TEST_CASE("objects keep their order") {
    const auto members = parsed_json("{\"z\": 1, \"a\": [[1], [2, 3]]}").members();
    CHECK(members[0].first == "z");
    CHECK(members[1].second.size() == 2);
}

TEST_CASE("an object of many members is read in no time") {
    std::string text = "{";
    for (int i = 0; i < 100000; ++i) {
        text += "\"" + std::to_string(i) + "\": 0, ";
    }
    CHECK(parsed_json(text + "\"\": 0}").members().size() == 100001);
    CHECK(json_refusal(text + "\"7\": 0}") == "x.json: duplicate key \"7\" in one object; keep one.");
}

TEST_CASE("numbers of arrays are rounded through double, as Python and PyTorch do") {
    // torch.tensor([1.00000017881393432617187499]) is 1.00000024; rounding the decimal directly to float32
    // would give 1.00000012.
    CHECK(parsed_json("[1.00000017881393432617187499]").tensor().values()[0] == 1.00000024F);
    CHECK(parsed_json("1.00000017881393432617187499").number() == 1.00000017881393432617187499);
    const Tensor tensor =
        parsed_json(
            "[-0.0, -0, 1e-400, 16777217, 18446744073709551615, 18446744073709551616, -9223372036854775809]")
            .tensor();
    const std::span<const float> numbers = tensor.values();
    CHECK(std::signbit(numbers[0]));
    CHECK_FALSE(std::signbit(numbers[1]));  // Python reads -0 as a whole number, which has no sign
    CHECK(numbers[2] == 0);
    CHECK(numbers[3] == 16777216.0F);
    CHECK(numbers[4] == 18446744073709551616.0F);
    CHECK(numbers[5] == 18446744073709551616.0F);
    CHECK(numbers[6] == -9223372036854775808.0F);
}

TEST_CASE("a view names file and place of what is not what was asked for") {
    const JsonView json = parsed_json(R"({"b": true, "n": 0.5})");
    CHECK_FALSE(json.find("none").has_value());
    CHECK_NOTHROW(json.allow_keys({"b", "n", "q"}));
    for (const auto& [text, found] : {std::pair<std::string_view, std::string_view>{"true", "true"},
                                      {"\"1\"", "\"1\""},
                                      {"null", "null"},
                                      {"[1]", "an array"},
                                      {"{}", "an object"}}) {
        CHECK(complaint(text, [](const JsonView& view) { view.number(); }) ==
              fmt::format("x.json: expected a number but found {}.", found));
    }
    const auto at = [](const JsonView& view) { view.at("a/b~c")[1].string(); };
    CHECK(complaint("{\"a/b~c\": [0, 1.5]}", at) ==
          "x.json: at /a~1b~0c/1: expected a string but found 1.5.");
    CHECK(complaint("{\"a\\u001b\": 0}", at) == "x.json: the key \"a/b~c\" is missing.");
    CHECK(complaint("[]", at) == "x.json: expected an object but found an array.");
    CHECK(complaint("{}", [](const JsonView& view) { view[0]; }) ==
          "x.json: expected an array but found an object.");
    const auto keys = [](const JsonView& view) { view.allow_keys({"tokens", "embeddings"}); };
    CHECK(complaint("{\"token\": 0}", keys) ==
          "x.json: unknown key \"token\". Did you mean \"tokens\"? The known keys: tokens, embeddings.");
    CHECK(complaint("{\"\\u001b[2J\": 0}", keys) ==
          "x.json: unknown key \"\\x1b[2J\". The known keys: tokens, embeddings.");
}

TEST_CASE("an integer is whole and within its bounds") {
    const auto integer = [](const JsonView& view) { view.integer(1, 64); };
    CHECK(complaint("1", integer).empty());
    CHECK(complaint("64.0", integer).empty());
    for (const std::string_view text :
         {"0", "65", "1.5", "-1", "1e300", "9223372036854775808", "true", "\"1\""}) {
        CAPTURE(text);
        CHECK(
            complaint(text, integer).starts_with("x.json: expected a whole number from 1 to 64 but found "));
    }
}

TEST_CASE("nested arrays become tensors of rank 1 to 4") {
    const auto tensor = [](std::string_view text) { return parsed_json(text).tensor(); };
    CHECK(identical(tensor("[1, 2]"), Tensor({2}, {1, 2})));
    CHECK(identical(tensor("[[1, 2, 3], [4, 5, 6]]"), Tensor({2, 3}, {1, 2, 3, 4, 5, 6})));
    CHECK(identical(tensor("[[[[1], [2]]], [[[3], [4]]]]"), Tensor({2, 1, 2, 1}, {1, 2, 3, 4})));
}

// tests/cli/loaders.py and lesson_reader_test.cpp test rows of different lengths, and what is no number.
TEST_CASE("what is no tensor is named by place") {
    const auto tensor = [](const JsonView& view) { view.tensor(); };
    CHECK(complaint("[[], []]", tensor) ==
          "x.json: at /0: expected at least one number but found an empty array.");
    CHECK(complaint("[[[1]], [[1], [2]]]", tensor) ==
          "x.json: at /1: expected length 1, like the first row, but found length 2.");
    CHECK(complaint("[[[[[1]]]]]", tensor) ==
          "x.json: at /0/0/0/0: arrays nested too deep; a tensor has at most 4 dimensions.");
}
