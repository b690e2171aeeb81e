// What is JSON and what is not, where it is not, and how values are asked for.
#include "files/json.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/error.hpp"

using attn::Error;
using attn::JsonView;
using attn::parse_json;
using attn::Tensor;

namespace {

JsonView parse(std::string_view text) {
    return parse_json(text, "x.json");
}

std::string refusal(std::string_view text) {
    try {
        parse(text);
    } catch (const Error& error) {
        return error.what();
    }
    return "accepted";
}

// The message of asking the value of `text` for something.
template <class Ask>
std::string complaint(std::string_view text, Ask ask) {
    const JsonView json = parse(text);
    try {
        ask(json);
    } catch (const Error& error) {
        return error.what();
    }
    return "accepted";
}

std::string nested(std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
}

}  // namespace

TEST_CASE("what RFC 8259 allows is read") {
    for (const std::string_view text : {"null",
                                        "true",
                                        "false",
                                        "0",
                                        "-0",
                                        "-1",
                                        "1.5e3",
                                        "1E+2",
                                        "0e-5",
                                        "1e-400",
                                        "123456789012345678901234567890",
                                        "\"\"",
                                        "\"a\"",
                                        "\"\\u0000\"",
                                        "\"\\ud83d\\ude00\"",
                                        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
                                        "\"\x7f\"",
                                        "\"旅\"",
                                        "[]",
                                        "{}",
                                        "[[]]",
                                        "[{}]",
                                        " \t\r\n[ 1 , 2 ] \n",
                                        "{\"\":0}",
                                        "{\"a\":{\"a\":1}}",
                                        "[1,null]",
                                        "\xEF\xBB\xBF[1]",
                                        "\"\u2028\""}) {
        CAPTURE(text);
        CHECK_NOTHROW(parse(text));
    }
}

TEST_CASE("what RFC 8259 forbids is refused, with the line and a caret") {
    using namespace std::string_view_literals;
    for (const std::string_view text : {""sv,
                                        " "sv,
                                        "["sv,
                                        "]"sv,
                                        "[1"sv,
                                        "[1,"sv,
                                        "[1,]"sv,
                                        "[,1]"sv,
                                        "[1,,2]"sv,
                                        "[1 2]"sv,
                                        "[1]]"sv,
                                        "[1]x"sv,
                                        "[1][2]"sv,
                                        "1 2"sv,
                                        "{"sv,
                                        "{\"a\"}"sv,
                                        "{\"a\":}"sv,
                                        "{\"a\" 1}"sv,
                                        "{\"a\":1,}"sv,
                                        "{a:1}"sv,
                                        "{'a':1}"sv,
                                        "{1:1}"sv,
                                        "{,}"sv,
                                        "[01]"sv,
                                        "[+1]"sv,
                                        "[.5]"sv,
                                        "[1.]"sv,
                                        "[1e]"sv,
                                        "[0x1]"sv,
                                        "[--1]"sv,
                                        "[1_000]"sv,
                                        "[NaN]"sv,
                                        "[-Infinity]"sv,
                                        "[Infinity]"sv,
                                        "nul"sv,
                                        "True"sv,
                                        "[nulll]"sv,
                                        "\""sv,
                                        "\"a"sv,
                                        "\"\\x\""sv,
                                        "\"\\u12\""sv,
                                        "\"\\ud800\""sv,
                                        "\"\\udc00\""sv,
                                        "\"\n\""sv,
                                        "\"\t\""sv,
                                        "[1]\0"sv,
                                        "[1]\0{{{"sv,
                                        "\0[1]"sv,
                                        "\"\0\""sv,
                                        "\"\xff\""sv,
                                        "[1]\xff"sv,
                                        "\"\xc0\xaf\""sv,
                                        "\"\xed\xa0\x80\""sv,
                                        "[1]//c"sv,
                                        "/*c*/[1]"sv,
                                        "[1]#c"sv,
                                        "[1e400]"sv,
                                        "-1e999"sv,
                                        "[1]\f"sv,
                                        "\u00a0[1]"sv,
                                        "[1]\xEF\xBB\xBF"sv}) {
        CAPTURE(text);
        const std::string message = refusal(text);
        CHECK(message.starts_with("x.json:"));
        CHECK(message.find("\n  ") != std::string::npos);
        CHECK(message.ends_with("^"));
    }
}

TEST_CASE("a syntax error shows its line and column, the line and what would be right") {
    CHECK(refusal("{\n  \"tokens\": [\"Your\", ],\r\n}") ==
          "x.json:2:22: unexpected ']'; expected '[', '{', or a literal. JSON has no comma after the last "
          "element.\n"
          "    \"tokens\": [\"Your\", ],\n"
          "                       ^");
    CHECK(refusal("[0.43 0.15]") ==
          "x.json:1:7: unexpected number literal; expected ',' or ']'.\n"
          "  [0.43 0.15]\n"
          "        ^");
    CHECK(refusal("[1, \"ab\" \"cd\"]") ==
          "x.json:1:10: unexpected string literal; expected ',' or ']'.\n  [1, \"ab\" \"cd\"]\n           ^");
    CHECK(refusal("[1 false]") ==
          "x.json:1:4: unexpected false literal; expected ',' or ']'.\n  [1 false]\n     ^");
    CHECK(refusal("[-Infinity]") ==
          "x.json:1:2: -Infinity is no JSON number; expected a finite one.\n"
          "  [-Infinity]\n"
          "   ^");
    CHECK(refusal("{'tokens': 1}") ==
          "x.json:1:2: invalid literal. JSON strings stand in double quotes.\n"
          "  {'tokens': 1}\n"
          "   ^");
    CHECK(refusal("[1] // all") ==
          "x.json:1:5: unexpected text after the end of the JSON value. JSON has no comments.\n  [1] // "
          "all\n      ^");
    CHECK(refusal("[1, 2\n\n") ==
          "x.json:1:6: unexpected end of input; expected ',' or ']'.\n  [1, 2\n       ^");
    CHECK(refusal("") == "x.json:1:1: unexpected end of input; expected '[', '{', or a literal.\n  \n  ^");
    CHECK(refusal("[1, -1e400, 2]") ==
          "x.json:1:5: a number beyond double, ±1.7976931348623157e308.\n  [1, -1e400, 2]\n      ^");
}

TEST_CASE("text after the value, and numbers that are not finite, are told apart from other errors") {
    CHECK(refusal("[1]]") == "x.json:1:4: unexpected text after the end of the JSON value.\n  [1]]\n     ^");
    CHECK(refusal("{}\n{}") == "x.json:2:1: unexpected text after the end of the JSON value.\n  {}\n  ^");
    CHECK(refusal("1 \"a\"") ==
          "x.json:1:3: unexpected text after the end of the JSON value.\n  1 \"a\"\n    ^");
    for (const std::string word : {"NaN", "nan", "Infinity", "inf", "-Infinity", "-inf"}) {
        CHECK(refusal("[0, " + word + "]") == "x.json:1:5: " + word +
                                                  " is no JSON number; expected a finite one.\n  [0, " +
                                                  word + "]\n      ^");
    }
    CHECK(refusal("[nanny]").starts_with("x.json:1:3: invalid literal. The only words outside quotes are"));
}

TEST_CASE("bytes that are no UTF-8 text are refused where they stand") {
    using namespace std::string_view_literals;
    CHECK(refusal("[1]\0{{{garbage"sv) ==
          "x.json:1:4: a NUL byte, as in UTF-16; text holds none: save the file as UTF-8.\n  "
          "[1]\\x00{{{garbage\n     "
          "^");
    CHECK(refusal("[\n\"\xe9\"]") ==
          "x.json:2:2: this byte is no UTF-8; save the file as UTF-8.\n  \"\\xe9\"]\n   ^");
    for (const std::string_view text : {"\xFF\xFE[\0"sv, "\xFE\xFF\0["sv, "\0\0\xFE\xFF\0\0\0["sv}) {
        const std::string said = refusal(text);
        CHECK(said.starts_with(
            "x.json:1:1: a byte order mark of UTF-16 or UTF-32; save the file as UTF-8.\n  \\x"));
        CHECK(said.ends_with("\n  ^"));
    }
}

TEST_CASE("columns count characters, the caret counts cells, and nothing in the line commands the terminal") {
    CHECK(refusal("[\"旅程\" x]") ==
          "x.json:1:7: invalid literal. The only words outside quotes are true, false and null.\n  [\"旅程\" "
          "x]\n          ^");
    CHECK(refusal("\t[\"\x7f\u202e\", ]") ==
          "x.json:1:9: unexpected ']'; expected '[', '{', or a literal. JSON has no comma after the last "
          "element.\n"
          "   [\"\\x7f\\u202e\", ]\n"
          "                  ^");
    CHECK_THROWS_WITH_AS(
        parse_json("[", "a\x1b.json"),
        "a\\x1b.json:1:2: unexpected end of input; expected '[', '{', or a literal.\n  [\n   ^", Error);
}

TEST_CASE("of a long line a window is shown") {
    const std::string text = std::string("[\"").append(1000, 'a').append("\"x\"").append(1000, 'b') + "\"]";
    CHECK(refusal(text) ==
          "x.json:1:1004: invalid literal. The only words outside quotes are true, false and null.\n  …" +
              std::string(59, 'a') + "\"x\"" + std::string(18, 'b') + "…\n  " + std::string(61, ' ') + "^");
}

TEST_CASE("duplicate keys are refused, and named") {
    CHECK(refusal("{\"a\": 1, \"b\": [0, {\"c/d\": 1, \"e\": 2, \"c/d\": 3}]}") ==
          "x.json: at /b/1/c~1d: this key stands twice in its object; keep one.");
    CHECK(refusal("{\"\": 1, \"\": 1}") == "x.json: at /: this key stands twice in its object; keep one.");
    CHECK(refusal("[{\"a\": 1}, {\"a\": 1}]") == "accepted");
}

TEST_CASE("depth and the number of values are limited") {
    CHECK(refusal(nested(attn::max_json_depth)) == "accepted");
    CHECK(refusal("{\"a\":" + nested(attn::max_json_depth) + "}") ==
          "x.json: at /a/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0: nested more than 32 "
          "deep.");
    CHECK(refusal(std::string(1000000, '[')).ends_with("nested more than 32 deep."));
    std::string many = "[";
    for (std::size_t i = 0; i < attn::max_json_values; ++i) {
        many += "0,";
    }
    CHECK(parse(many + "0]").size() == attn::max_json_values + 1);
    many = "[";
    for (std::size_t i = 0; i + 1 < attn::max_json_values; ++i) {
        many += "[],";
    }
    CHECK(refusal(many + "0]") == "accepted");
    CHECK(refusal(many + "{}]") ==
          "x.json: at /3999999: more than 4000000 values (numbers not counted), the "
          "most that is read.");
}

TEST_CASE("objects keep their order") {
    const auto members = parse("{\"z\": 1, \"a\": [[1], [2, 3]]}").members();
    CHECK(members[0].first == "z");
    CHECK(members[1].second.size() == 2);
}

TEST_CASE("an object of many members is read in no time") {
    std::string text = "{";
    for (int i = 0; i < 300000; ++i) {
        text += "\"" + std::to_string(i) + "\": 0, ";
    }
    CHECK(parse(text + "\"\": 0}").members().size() == 300001);
    CHECK(refusal(text + "\"7\": 0}") == "x.json: at /7: this key stands twice in its object; keep one.");
}

TEST_CASE("numbers of arrays are rounded through double, as Python and PyTorch do") {
    // torch.tensor([1.00000017881393432617187499]) is 1.00000024; rounding the decimal at once
    // gives 1.00000012.
    CHECK(parse("[1.00000017881393432617187499]").tensor().values()[0] == 1.00000024F);
    CHECK(parse("1.00000017881393432617187499").number() == 1.00000017881393432617187499);
    const Tensor tensor =
        parse(
            "[-0.0, -0, 1e-400, 16777217, 18446744073709551615, 18446744073709551616, -9223372036854775809]")
            .tensor();
    const std::span<const float> numbers = tensor.values();
    CHECK(std::signbit(numbers[0]));
    CHECK_FALSE(std::signbit(numbers[1]));  // -0 is whole to Python, and has no sign
    CHECK(numbers[2] == 0);
    CHECK(numbers[3] == 16777216.0F);
    CHECK(numbers[4] == 18446744073709551616.0F);
    CHECK(numbers[5] == 18446744073709551616.0F);
    CHECK(numbers[6] == -9223372036854775808.0F);
}

TEST_CASE("a view gives each type its value") {
    const JsonView view = parse(R"({"b": true, "n": 0.5, "i": -3, "s": "旅", "a": [7, "x"], "p": [8, 9]})");
    CHECK(view.at("b").boolean());
    CHECK(view.at("n").number() == 0.5);
    CHECK(view.at("i").integer(-3, 3) == -3);
    CHECK(view.at("s").string() == "旅");
    CHECK(view.at("a").size() == 2);
    CHECK(view.at("a")[0].integer(0, 7) == 7);
    CHECK(view.at("a")[1].string() == "x");
    CHECK(view.at("p")[1].number() == 9);
    CHECK_FALSE(view.find("none").has_value());
    CHECK(view.members().size() == 6);
    CHECK_NOTHROW(view.allow_keys({"b", "n", "i", "s", "a", "p", "q"}));
}

TEST_CASE("a view names file and place of what is not what was asked for") {
    const auto number = [](const JsonView& view) { view.number(); };
    CHECK(complaint("true", number) == "x.json: expected a number but found true.");
    CHECK(complaint("\"1\"", number) == "x.json: expected a number but found the string \"1\".");
    CHECK(complaint("null", number) == "x.json: expected a number but found null.");
    CHECK(complaint("[1]", number) == "x.json: expected a number but found an array.");
    CHECK(complaint("[{}]", number) == "x.json: expected a number but found an array.");
    CHECK(complaint("{}", number) == "x.json: expected a number but found an object.");
    const auto at = [](const JsonView& view) { view.at("a/b~c")[1].string(); };
    CHECK(complaint("{\"a/b~c\": [0, 1.5]}", at) ==
          "x.json: at /a~1b~0c/1: expected a string but found the number 1.5.");
    CHECK(complaint("{\"a\\u001b\": 0}", at) == "x.json: the key \"a/b~c\" is missing.");
    CHECK(complaint("[]", at) == "x.json: expected an object but found an array.");
    CHECK(complaint("{}", [](const JsonView& view) { view[0]; }) ==
          "x.json: expected an array but found an object.");
    const auto keys = [](const JsonView& view) { view.allow_keys({"tokens", "embeddings"}); };
    CHECK(complaint("{\"token\": 0}", keys) == "x.json: unknown key \"token\". Did you mean \"tokens\"?");
    CHECK(complaint("{\"\\u001b[2J\": 0}", keys) == "x.json: unknown key \"\\x1b[2J\".");
}

TEST_CASE("an integer is whole and within its bounds") {
    const auto integer = [](const JsonView& view) { view.integer(1, 64); };
    CHECK(complaint("1", integer) == "accepted");
    CHECK(complaint("64.0", integer) == "accepted");
    for (const std::string_view text :
         {"0", "65", "1.5", "-1", "1e300", "9223372036854775808", "true", "\"1\""}) {
        CAPTURE(text);
        CHECK(
            complaint(text, integer).starts_with("x.json: expected a whole number from 1 to 64 but found "));
    }
}

TEST_CASE("nested arrays become tensors of rank 1 to 4") {
    const auto tensor = [](std::string_view text) { return parse(text).tensor(); };
    CHECK(identical(tensor("[1, 2]"), Tensor({2}, {1, 2})));
    CHECK(identical(tensor("[[1, 2, 3], [4, 5, 6]]"), Tensor({2, 3}, {1, 2, 3, 4, 5, 6})));
    CHECK(identical(tensor("[[[[1], [2]]], [[[3], [4]]]]"), Tensor({2, 1, 2, 1}, {1, 2, 3, 4})));
}

TEST_CASE("what is no tensor is named by place") {
    const auto tensor = [](const JsonView& view) { view.tensor(); };
    CHECK(complaint("1", tensor) == "x.json: expected an array but found the number 1.");
    CHECK(complaint("[]", tensor) == "x.json: expected at least one number but found an empty array.");
    CHECK(complaint("[[], []]", tensor) ==
          "x.json: at /0: expected at least one number but found an empty array.");
    CHECK(complaint("[[1, 2], []]", tensor) ==
          "x.json: at /1: expected length 2, as the first row has, but found length 0.");
    CHECK(complaint("[[[1]], [[1], [2]]]", tensor) ==
          "x.json: at /1: expected length 1, as the first row has, but found length 2.");
    CHECK(complaint("[[1], 2]", tensor) == "x.json: at /1: expected an array but found the number 2.");
    CHECK(complaint("[1, [2]]", tensor) == "x.json: at /1: expected a number but found an array.");
    CHECK(complaint("[[[[[1]]]]]", tensor) ==
          "x.json: at /0/0/0/0: arrays nested too deep; a tensor has at most 4 dimensions.");
    CHECK(complaint("[[\"a\"]]", tensor) == "x.json: at /0/0: expected a number but found the string \"a\".");
    CHECK(complaint("[1, 1e39]", tensor) ==
          "x.json: at /1: expected a number within float32's range, ±3.4028235e38.");
    CHECK(complaint("[0.5, true]", tensor) == "x.json: at /1: expected a number but found true.");
}
