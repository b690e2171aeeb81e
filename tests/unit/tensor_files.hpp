// Tensor files built byte by byte, for the tests of their readers.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/inflate.hpp"
#include "files/little_endian.hpp"

template <class Integer>
std::string bytes_of(Integer value) {
    std::string bytes;
    attn::append_little_endian(bytes, value);
    return bytes;
}

inline std::string floats(const std::vector<float>& values) {
    std::string bytes;
    for (const float value : values) {
        bytes += bytes_of(std::bit_cast<std::uint32_t>(value));
    }
    return bytes;
}

// Returns a .npy file of version 1 with this dictionary as its header.
inline std::string npy_file(const std::string& dictionary, const std::string& numbers) {
    using namespace std::string_literals;
    return "\x93NUMPY\x01\x00"s + bytes_of(static_cast<std::uint16_t>(dictionary.size())) + dictionary +
           numbers;
}

inline std::string npy_file(const std::string& descr, const std::string& shape, const std::string& numbers) {
    return npy_file("{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n",
                    numbers);
}

inline std::string safetensors_file(const std::string& header, const std::string& numbers) {
    return bytes_of(std::uint64_t{header.size()}) + header + numbers;
}

// A ZIP file of members that are stored, or compressed by the caller.
struct ZipFile {
    struct Claims {
        std::uint16_t method = 0;
        std::uint32_t size = 0;  // 0: the number of bytes
        std::uint32_t crc = 0;   // 0: the CRC of the bytes
        std::string extra = {};  // extra fields of the directory's entry
    };

    void add(const std::string& name, const std::string& bytes) { add(name, bytes, Claims{}); }
    void add(const std::string& name, const std::string& bytes, const Claims& claims) {
        const std::uint32_t size = claims.size == 0 ? static_cast<std::uint32_t>(bytes.size()) : claims.size;
        const std::uint32_t crc = claims.crc == 0 ? attn::crc32(bytes) : claims.crc;
        const std::string common = bytes_of(std::uint16_t{0}) + bytes_of(claims.method) +
                                   bytes_of(std::uint32_t{0x00210000}) + bytes_of(crc) +
                                   bytes_of(static_cast<std::uint32_t>(bytes.size())) + bytes_of(size) +
                                   bytes_of(static_cast<std::uint16_t>(name.size()));
        directory += "PK\1\2" + bytes_of(std::uint32_t{20U << 16U | 20U}) + common +
                     bytes_of(static_cast<std::uint16_t>(claims.extra.size())) + std::string(10, '\0') +
                     bytes_of(static_cast<std::uint32_t>(members.size())) + name + claims.extra;
        members +=
            "PK\3\4" + bytes_of(std::uint16_t{20}) + common + bytes_of(std::uint16_t{0}) + name + bytes;
        ++count;
    }

    std::string text() const { return text(static_cast<std::uint32_t>(members.size())); }
    std::string text(std::uint32_t directory_at) const {
        return members + directory + "PK\5\6" + std::string(4, '\0') + bytes_of(count) + bytes_of(count) +
               bytes_of(static_cast<std::uint32_t>(directory.size())) + bytes_of(directory_at) +
               std::string(2, '\0');
    }

    std::string members{}, directory{};
    std::uint16_t count = 0;
};
