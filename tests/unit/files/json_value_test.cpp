// Numbers and strings are read back exactly, and the layout is readable.
#include "files/json_value.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

#include "files/json.hpp"

using namespace attn;

namespace {

std::string json_number(double value) {
    return json_text(value, JsonLayout::compact);
}

std::string json_string(std::string_view text) {
    return json_text(text, JsonLayout::compact);
}

}  // namespace

TEST_CASE(
    "numbers have the digits of float32 if they are one, otherwise their own, and words stand in quotes") {
    using Float = std::numeric_limits<float>;
    for (const auto& [value, text] : {std::pair<double, std::string_view>{0.43F, "0.43"},
                                      {0.43, "0.43"},
                                      {2.0, "2.0"},
                                      {-0.0, "-0.0"},
                                      {1e-7F, "1e-07"},
                                      {16777216, "16777216.0"},
                                      {Float::max(), "3.4028235e+38"},
                                      {Float::denorm_min(), "1e-45"},
                                      {1.0 / 3, "0.3333333333333333"},
                                      {Float::infinity(), "\"Infinity\""},
                                      {-Float::infinity(), "\"-Infinity\""},
                                      {Float::quiet_NaN(), "\"NaN\""},
                                      {-Float::quiet_NaN(), "\"NaN\""}}) {
        CHECK(json_number(value) == text);
    }
}

TEST_CASE("the parser reads back what was written") {
    std::mt19937 generator(7);
    std::vector<float> values(10000);
    for (float& value : values) {
        value = std::bit_cast<float>(static_cast<std::uint32_t>(generator()) & 0xBF7FFFFFU);  // finite
    }
    values[0] = std::bit_cast<float>(0x95AE43FDU);
    const Tensor tensor({10000}, values);
    const std::string text = json_text(tensor_json(tensor), JsonLayout::indented);
    CHECK(identical(parse_json(text, "written").tensor(), tensor));
}

TEST_CASE("strings are escaped, and what a terminal would obey as well") {
    CHECK(json_string("旅 \"a\\b\" </script>") == "\"旅 \\\"a\\\\b\\\" </script>\"");
    CHECK(json_string("\b\f\n\r\t\x01\x1f") == "\"\\b\\f\\n\\r\\t\\u0001\\u001f\"");
    CHECK(json_string("\x7f\u009b\u2028\u202e\ufeff") == "\"\\u007f\\u009b\\u2028\\u202e\\ufeff\"");
    CHECK(json_string("\U000e0041\U0001d173") == "\"\\udb40\\udc41\\ud834\\udd73\"");
    CHECK(json_string("a\xff\xe6\x97z") == "\"a\uFFFD\uFFFDz\"");
    std::string all;
    for (char32_t code = 0; code < 0x80; ++code) {
        all += static_cast<char>(code);
    }
    all += "\u0080\u009f\u061c\u200b\u2029\U0001F600";
    CHECK(parse_json(json_string(all), "written").string() == all);
}

TEST_CASE("objects and arrays take a line per element, rows of numbers and words one line") {
    const Tensor data({2, 2}, {0.43F, 1, -std::numeric_limits<float>::infinity(), 0});
    const Json json{
        {"format", "trace"},
        {"seed", std::numeric_limits<std::uint64_t>::max()},
        {"bias", false},
        {"op", nullptr},
        {"dropout", 0.5},
        {"tokens", Json::array({"Your", nullptr, -1})},
        {"code", Json::array({"x = 1"})},
        {"none", Json::array()},
        {"steps", Json::array({Json::object(), 1.5, Json{{"step", "keys"}, {"index", Json::array({1, 0})}},
                               Json{{"text", "a b"}}})},
        {"parameters", {{"seed", 1}}},
        {"data", tensor_json(data)}};
    const std::string text = json_text(json, JsonLayout::indented);
    CHECK(text == R"({
  "format": "trace",
  "seed": 18446744073709551615,
  "bias": false,
  "op": null,
  "dropout": 0.5,
  "tokens": ["Your", null, -1],
  "code": [
    "x = 1"
  ],
  "none": [],
  "steps": [
    {},
    1.5,
    {"step": "keys", "index": [1, 0]},
    {
      "text": "a b"
    }
  ],
  "parameters": {
    "seed": 1
  },
  "data": [
    [0.43, 1.0],
    ["-Infinity", 0.0]
  ]
}
)");
    CHECK_NOTHROW(parse_json(text, "written"));
    CHECK(json_text({{"a", Json::array({1, 2.5})}, {"b", Json::object()}}, JsonLayout::compact) ==
          R"({"a":[1,2.5],"b":{}})");
}

// tests/oracle/formats.py compares those with numbers.
TEST_CASE("tensors without numbers are nested arrays") {
    const Tensor no_rows({0, 3});
    const Tensor no_columns({2, 0});
    CHECK(json_text(tensor_json(no_rows), JsonLayout::compact) == "[]");
    CHECK(json_text(tensor_json(no_columns), JsonLayout::compact) == "[[],[]]");
}
