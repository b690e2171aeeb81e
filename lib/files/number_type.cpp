// Floats of 16 bits are widened by hand: C++20 has no type for them.
#include "files/number_type.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "files/json_view.hpp"
#include "files/little_endian.hpp"
#include "files/located.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

[[noreturn]] void fail(const TensorEntry& entry, std::string_view origin, const Message& problem) {
    fail_at_pointer(origin, entry.name.empty() ? "" : json_pointer("", entry.name), problem);
}

// Where the number stands: /W_query.weight/3/5
std::string pointer(const TensorEntry& entry, const Tensor& tensor, std::size_t offset) {
    std::string text = entry.name.empty() ? "" : json_pointer("", entry.name);
    const Index index = tensor.index(offset);
    for (std::size_t axis = 0; axis < tensor.rank(); ++axis) {
        text += fmt::format("/{}", index[axis]);
    }
    return text;
}

double number(std::string_view bytes, NumberType type, std::size_t i) {
    switch (type) {
        case NumberType::float64:
            return std::bit_cast<double>(little_endian<std::uint64_t>(bytes, 8 * i));
        case NumberType::float32:
            return static_cast<double>(std::bit_cast<float>(little_endian<std::uint32_t>(bytes, 4 * i)));
        case NumberType::float16:
            return static_cast<double>(from_float16(little_endian<std::uint16_t>(bytes, 2 * i)));
        case NumberType::bfloat16:
            return static_cast<double>(from_bfloat16(little_endian<std::uint16_t>(bytes, 2 * i)));
        case NumberType::int64:
            return static_cast<double>(
                std::bit_cast<std::int64_t>(little_endian<std::uint64_t>(bytes, 8 * i)));
        case NumberType::int32:
            return static_cast<double>(
                std::bit_cast<std::int32_t>(little_endian<std::uint32_t>(bytes, 4 * i)));
        default:
            return static_cast<double>(static_cast<unsigned char>(bytes[i]));
    }
}

}  // namespace

std::size_t width(NumberType type) {
    switch (type) {
        case NumberType::float64:
        case NumberType::int64:
            return 8;
        case NumberType::float32:
        case NumberType::int32:
            return 4;
        case NumberType::float16:
        case NumberType::bfloat16:
            return 2;
        case NumberType::boolean:
        case NumberType::byte:
            return 1;
        default:
            return 0;
    }
}

float from_float16(std::uint16_t bits) {
    const std::uint32_t sign = (bits & 0x8000U) << 16U;
    const std::uint32_t exponent = bits >> 10U & 0x1FU;
    const std::uint32_t fraction = bits & 0x3FFU;
    if (exponent == 0) {  // zero or subnormal, in units of 2⁻²⁴
        const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
        return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
    }
    constexpr std::uint32_t rebias = 127 - 15;
    const std::uint32_t widened = exponent == 0x1F ? 0xFFU : exponent + rebias;
    return std::bit_cast<float>(sign | widened << 23U | fraction << 13U);
}

float from_bfloat16(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

std::uint64_t count_of(const TensorEntry& entry, std::string_view origin) {
    std::uint64_t count = 1;
    bool too_many = false;
    for (const std::uint64_t size : entry.sizes) {
        too_many = too_many || (size != 0 && count > std::numeric_limits<std::uint64_t>::max() / size);
        count *= size;
    }
    if (too_many) {
        fail(entry, origin,
             Message("the shape {} has more numbers than can be counted.", entry.shape_text()));
    }
    return count;
}

Shape require_readable(NumberType type, std::string_view type_name, const TensorEntry& entry,
                       Contents contents, std::string_view origin) {
    const bool truth = type == NumberType::boolean || type == NumberType::byte;
    const bool whole = type == NumberType::int64 || type == NumberType::int32;
    if (type == NumberType::unreadable || (truth && contents == Contents::finite) ||
        (whole && contents != Contents::any)) {
        fail(entry, origin,
             Message("holds numbers of type {}; float32, float16, bfloat16 and float64 are read.",
                     in_quotes(type_name)));
    }
    if (entry.sizes.size() > Shape::max_rank) {
        fail(entry, origin,
             Message("has {} dimensions; a tensor has at most {}.", entry.sizes.size(), Shape::max_rank));
    }
    const Shape shape(std::vector<std::size_t>(entry.sizes.begin(), entry.sizes.end()));
    if (shape.count() == 0) {
        fail(entry, origin, Message("expected at least one number but found the shape {}.", shape.text()));
    }
    return shape;
}

Tensor decode(std::string_view bytes, NumberType type, const Shape& shape, const TensorEntry& entry,
              Contents contents, std::string_view origin) {
    Tensor tensor(shape);
    for (std::size_t i = 0; i < tensor.count(); ++i) {
        const double value = number(bytes, type, i);
        tensor.values()[i] = static_cast<float>(value);
        if (contents != Contents::any && !std::isfinite(tensor.values()[i])) {
            const std::string_view found = std::isnan(value) ? "NaN" : value > 0.0 ? "inf" : "-inf";
            fail_at_pointer(origin, pointer(entry, tensor, i),
                            std::isfinite(value) ? Message(beyond_float32)
                                                 : Message("expected a finite number but found {}.", found));
        }
    }
    return tensor;
}

std::string_view little_endian_bytes(const Tensor& tensor) {
    static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");
    return {reinterpret_cast<const char*>(tensor.values().data()), tensor.count() * sizeof(float)};
}

}  // namespace attn
