// Float32 numbers as hexadecimal bits, so that golden values are exact and a failed comparison shows which
// number differs.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <span>
#include <string>

#include "tensor/tensor.hpp"

namespace attn {

inline std::string bits(std::span<const float> values) {
    std::string text;
    for (const float value : values) {
        text += fmt::format("{}{:08x}", text.empty() ? "" : " ", std::bit_cast<std::uint32_t>(value));
    }
    return text;
}

inline std::string bits(const Tensor& x) {
    return bits(x.values());
}

// Writes one digit per number, with a space between rows; used for masks of zeros and ones.
inline std::string digits(const Tensor& x) {
    std::string text;
    for (std::size_t i = 0; i < x.count(); ++i) {
        text += fmt::format("{}{}", i > 0 && i % x.size(-1) == 0 ? " " : "", x.values()[i]);
    }
    return text;
}

}  // namespace attn
