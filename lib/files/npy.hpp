// NumPy's .npy, a header that describes the numbers and then the numbers, and .npz, a ZIP file of them.
// (numpy.lib.format describes both.)
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "files/tensor_file.hpp"

namespace attn {

inline constexpr std::string_view npy_magic = "\x93NUMPY";

// Throw Error for a damaged file. Nothing in a header is evaluated.
std::shared_ptr<const TensorFile> open_npy(const Bytes& bytes, const std::string& origin);
std::shared_ptr<const TensorFile> open_npz(const Bytes& bytes, const std::string& origin);

// The .npy header of a float32 tensor of this shape, as NumPy writes it.
std::string npy_header(const Shape& shape);

}  // namespace attn
