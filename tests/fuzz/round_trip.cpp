// Any floats and any text, exported as JSON and read again: the same floats bit for bit, and the same text
// but for what is no UTF-8.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "files/json.hpp"
#include "files/json_value.hpp"
#include "printed/reader.hpp"
#include "tensor/tensor.hpp"
#include "tensor/tensor_text.hpp"

namespace {

void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

std::uint32_t bits(float value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    if (size < sizeof(float)) {
        return -1;
    }
    std::vector<float> values(size / sizeof(float));
    std::memcpy(values.data(), bytes, values.size() * sizeof(float));
    std::erase_if(values, [](float value) { return !std::isfinite(value); });
    if (values.empty()) {
        return -1;
    }
    const attn::Tensor tensor(attn::Shape{values.size()}, values);
    const attn::Json json{{"data", tensor_json(tensor)},
                          {"text", std::string_view(reinterpret_cast<const char*>(bytes), size)}};
    const std::string text = json_text(json, attn::JsonLayout::indented);
    const attn::Tensor numbers = attn::parse_json(text, "fuzz").at("data").tensor();
    require(std::ranges::equal(numbers.values(), values, {}, bits, bits));

    // And what is printed for people reads back to within its digits.
    const auto printed = attn::read_tensors(attn::tensor_text(tensor), "fuzz").tensors;
    require(printed.size() == 1 && printed[0].fits(tensor.shape()));
    return 0;
}
