// Numbers read back bit for bit, strings read back as they were, and the layout is what a person expects.
#include "files/json_writer.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

#include "files/json.hpp"

using attn::json_number;
using attn::JsonWriter;
using attn::Tensor;

namespace {

template <class Fill>
std::string written(Fill fill) {
    std::string text;
    JsonWriter json([&](std::string_view piece) { text += piece; });
    fill(json);
    return text;
}

std::string literal(std::string_view text) {
    std::string line = written([&](JsonWriter& json) {
        json.begin_array(JsonWriter::Layout::line);
        json.string(text);
        json.end();
    });
    return line.substr(1, line.size() - 3);
}

}  // namespace

TEST_CASE("numbers are the shortest that read back, and read as floats") {
    CHECK(json_number(0.43F) == "0.43");
    CHECK(json_number(1.0F) == "1.0");
    CHECK(json_number(-0.0F) == "-0.0");
    CHECK(json_number(1e-7F) == "1e-07");
    CHECK(json_number(16777216.0F) == "16777216.0");
    CHECK(json_number(std::numeric_limits<float>::max()) == "3.4028235e+38");
    CHECK(json_number(std::numeric_limits<float>::denorm_min()) == "1e-45");
}

TEST_CASE("what JSON cannot say as a number stands in quotes") {
    CHECK(json_number(std::numeric_limits<float>::infinity()) == "\"Infinity\"");
    CHECK(json_number(-std::numeric_limits<float>::infinity()) == "\"-Infinity\"");
    CHECK(json_number(std::numeric_limits<float>::quiet_NaN()) == "\"NaN\"");
    CHECK(json_number(-std::numeric_limits<float>::quiet_NaN()) == "\"NaN\"");
}

TEST_CASE("a double has the digits of float32 where it is one, and otherwise its own") {
    std::string text;
    JsonWriter json([&](std::string_view part) { text += part; });
    json.begin_array(JsonWriter::Layout::line);
    for (const double value :
         {static_cast<double>(0.43F), 0.43, 2.0, std::numeric_limits<double>::infinity()}) {
        json.number(value);
    }
    json.end();
    CHECK(text == "[0.43, 0.43, 2.0, \"Infinity\"]\n");
    text.clear();
    JsonWriter third([&](std::string_view part) { text += part; });
    third.number(1.0 / 3);
    CHECK(text.starts_with("0.3333333333333333"));
}

TEST_CASE("a float reads back through a double to the same bits, the one exception included") {
    // 7.038531e-26 is the shortest text of 0x15AE43FD, and rounds to its neighbour by way of a double.
    CHECK(static_cast<float>(std::strtod("7.038531e-26", nullptr)) != std::bit_cast<float>(0x15AE43FDU));
    std::mt19937 generator(123);
    std::uint32_t bits = 0x15AE43FD;
    for (int i = 0; i < 3000000; ++i) {
        const auto value = std::bit_cast<float>(bits);
        const std::string text = json_number(value);
        const double read = std::strtod(text.c_str(), nullptr);
        const bool finite = (bits & 0x7F800000U) != 0x7F800000U;
        if (finite && std::bit_cast<std::uint32_t>(static_cast<float>(read)) != bits) {
            FAIL("bits " << bits << " were written " << text);
        }
        bits = i == 0 ? 0x95AE43FD : static_cast<std::uint32_t>(generator());
    }
}

TEST_CASE("the parser reads back what the writer wrote") {
    std::mt19937 generator(7);
    std::vector<float> values(10000);
    for (float& value : values) {
        value = std::bit_cast<float>(static_cast<std::uint32_t>(generator()) & 0xBF7FFFFFU);  // finite
    }
    values[0] = std::bit_cast<float>(0x95AE43FDU);
    const Tensor tensor({10000}, values);
    const std::string text = written([&](JsonWriter& to) { to.tensor(tensor); });
    CHECK(identical(attn::parse_json(text, "written").tensor(), tensor));
}

TEST_CASE("strings are escaped, and what a terminal would obey as well") {
    CHECK(literal("旅 \"a\\b\" </script>") == "\"旅 \\\"a\\\\b\\\" </script>\"");
    CHECK(literal("\b\f\n\r\t\x01\x1f") == "\"\\b\\f\\n\\r\\t\\u0001\\u001f\"");
    CHECK(literal("\x7f\u009b\u2028\u202e\ufeff") == "\"\\u007f\\u009b\\u2028\\u202e\\ufeff\"");
    CHECK(literal("\U000e0041\U0001d173") == "\"\\udb40\\udc41\\ud834\\udd73\"");
    CHECK(literal("a\xff\xe6\x97z") == "\"a\uFFFD\uFFFD\uFFFDz\"");
    std::string all;
    for (char32_t code = 0; code < 0x80; ++code) {
        all += static_cast<char>(code);
    }
    all += "\u0080\u009f\u061c\u200b\u2029\U0001F600";
    CHECK(attn::parse_json(literal(all), "written").string() == all);
}

TEST_CASE("objects and arrays take a line per element, rows of numbers one line") {
    const std::string text = written([](JsonWriter& json) {
        json.begin_object();
        json.key("format");
        json.string("trace");
        json.key("version");
        json.integer(1);
        json.key("seed");
        json.integer(std::numeric_limits<std::uint64_t>::max());
        json.key("bias");
        json.boolean(false);
        json.key("op");
        json.null();
        json.key("dropout");
        json.number(0.5);
        json.key("tokens");
        json.begin_array(JsonWriter::Layout::line);
        json.string("Your");
        json.begin_object();
        json.key("a");
        json.integer(-1);
        json.end();
        json.end();
        json.key("none");
        json.begin_array();
        json.end();
        json.key("steps");
        json.begin_array();
        json.begin_object();
        json.end();
        json.number(1.5F);
        json.end();
        json.key("data");
        json.tensor(Tensor({2, 2}, {0.43F, 1, -std::numeric_limits<float>::infinity(), 0}));
        json.end();
    });
    CHECK(text == R"({
  "format": "trace",
  "version": 1,
  "seed": 18446744073709551615,
  "bias": false,
  "op": null,
  "dropout": 0.5,
  "tokens": ["Your", {"a": -1}],
  "none": [],
  "steps": [
    {},
    1.5
  ],
  "data": [
    [0.43, 1.0],
    ["-Infinity", 0.0]
  ]
}
)");
    CHECK_NOTHROW(attn::parse_json(text, "written"));
}

TEST_CASE("tensors of every rank, and without numbers, are nested arrays") {
    const auto tensor = [](const Tensor& x) { return written([&](JsonWriter& json) { json.tensor(x); }); };
    CHECK(tensor(Tensor({3}, {1, 2, 3})) == "[1.0, 2.0, 3.0]\n");
    CHECK(tensor(Tensor({1, 2, 1}, {1, 2})) == "[\n  [\n    [1.0],\n    [2.0]\n  ]\n]\n");
    CHECK(tensor(Tensor({0, 3}, std::vector<float>{})) == "[]\n");
    CHECK(tensor(Tensor({2, 0}, std::vector<float>{})) == "[\n  [],\n  []\n]\n");
    CHECK(written([](JsonWriter& json) {
              json.begin_array(JsonWriter::Layout::line);
              json.tensor(Tensor(attn::Shape{}, std::vector<float>{2.5F}));
              json.end();
          }) == "[2.5]\n");
}
