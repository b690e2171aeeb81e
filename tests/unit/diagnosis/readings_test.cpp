// Numbers that differ from right ones only by rounding.
#include "diagnosis/readings.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "printed/reader.hpp"

using namespace attn;

namespace {

PrintedTensor read_one(const std::string& text) {
    return read_tensors(text, "test").tensors.at(0);
}

// Returns the first kind of rounding that explains the numbers, or "none".
std::string_view explained(const std::string& text) {
    const Tensor right{Shape{6}, {0.12344F, -0.5432F, 0.0F, 0.9876F, 0.3141F, 0.2718F}};
    const PrintedTensor pasted = read_one(text);
    for (const Reading& reading : readings(pasted)) {
        if (!reading.name.empty() && reading.find_in(right)) {
            return reading.name;
        }
    }
    return "none";
}

}  // namespace

TEST_CASE("roundings are told by the digits, or by the type that the paste names") {
    const std::pair<std::string, std::string_view> rows[] = {
        // One last digit in sixteen is rounding, two of six are not.
        {"[0.1235, -0.5432, 0.0000, 0.9876, 0.3141, 0.2718]", "float32"},
        {"[0.1237, -0.5432, 0.0000, 0.9876, 0.3141, 0.2718]", "none"},
        {"[0.1236, -0.5433, 0.0000, 0.9876, 0.3141, 0.2718]", "none"},
        {"[0.1234, -0.5432, 0.0001, 0.9876, 0.3141, 0.2718]", "none"},
        {"[0.12353515625, -0.54296875, 0.0, 0.98828125, 0.314453125, 0.271484375]", "bfloat16"},
        {"tensor([0.1230, -0.5430, 0.0000, 0.9883, 0.3145, 0.2715], dtype=torch.bfloat16)", "bfloat16"},
        // Zeros at the end of all numbers are not digits.
        {"[0.1230, -0.5430, 0.0000, 0.9880, 0.3140, 0.2720]", "decimals"},
        {"[0.1230, -0.5430, 0.0000, 0.9880, 0.3140, 0.2718]", "none"},
    };
    for (const auto& [text, name] : rows) {
        CHECK(explained(text) == name);
    }
}

TEST_CASE("numbers that were rounded before they were printed are known to fewer digits") {
    const std::optional<PrintedTensor> tails = without_float32_tails(read_one("[0.3400000035762787, 1.0]"));
    REQUIRE(tails);
    CHECK(tails->numbers[0].decimals == 2);
    CHECK_FALSE(without_float32_tails(read_one("[0.3412345051765442, 0.5]")));
    CHECK_FALSE(without_float32_tails(read_one("[0.34, 0.5]")));
}
