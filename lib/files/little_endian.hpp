// Whole numbers as files hold them, the low byte first, wherever they lie. Bounds are the callers'.
#pragma once

#include <cassert>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

namespace attn {

template <std::unsigned_integral Integer>
Integer little_endian(std::string_view bytes, std::size_t at) {
    assert(at + sizeof(Integer) <= bytes.size());
    Integer value = 0;
    for (std::size_t i = sizeof(Integer); i-- > 0;) {
        value = static_cast<Integer>(value << 8U | static_cast<unsigned char>(bytes[at + i]));
    }
    return value;
}

template <std::unsigned_integral Integer>
void append_little_endian(std::string& bytes, Integer value) {
    for (std::size_t i = 0; i < sizeof(Integer); ++i) {
        bytes += static_cast<char>(value >> 8U * i & 0xFFU);
    }
}

}  // namespace attn
