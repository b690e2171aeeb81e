// Reads and writes whole numbers, low byte first, at any address. Callers check the bounds.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace attn {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie in memory");

template <typename Integer>
Integer little_endian(std::string_view bytes, std::size_t at) {
    Integer number;
    std::memcpy(&number, bytes.data() + at, sizeof number);
    return number;
}

template <typename Integer>
void append_little_endian(std::string& bytes, Integer number) {
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

}  // namespace attn
