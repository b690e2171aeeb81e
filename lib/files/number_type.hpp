// The kinds of numbers tensor files hold, and what each is as a float32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "files/tensor_file.hpp"
#include "tensor/tensor.hpp"

namespace attn {

enum class NumberType { float64, float32, float16, bfloat16, int64, int32, boolean, byte, unreadable };

// How many bytes one takes; 0 for what is not read.
std::size_t width(NumberType type);

float from_float16(std::uint16_t bits);
float from_bfloat16(std::uint16_t bits);

// How many numbers the sizes make. Throws Error, naming origin and tensor, when they are more than 64 bits
// count.
std::uint64_t count_of(const TensorEntry& entry, std::string_view origin);

// The shape of the tensor. Throws Error, naming the place, for a shape that is not read, and for a type that
// is not or is none of these contents'. `type_name` is the file's word for it.
Shape require_readable(NumberType type, std::string_view type_name, const TensorEntry& entry,
                       Contents contents, std::string_view origin);

// The tensor of that shape that lies in these bytes, little-endian and row-major, exactly as many as it
// takes. Unless any contents will do, throws Error, naming the place, for NaN, infinities and what float32
// cannot hold.
Tensor decode(std::string_view bytes, NumberType type, const Shape& shape, const TensorEntry& entry,
              Contents contents, std::string_view origin);

// The float32 numbers of a tensor as files hold them.
std::string_view little_endian_bytes(const Tensor& tensor);

}  // namespace attn
