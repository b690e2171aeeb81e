// NumPy's .npy files, which have a header and then the numbers, and .npz files, which are ZIP files of .npy
// files. Both are specified in numpy.lib.format.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "files/tensor_file.hpp"

namespace attn {

inline constexpr std::string_view npy_magic = "\x93NUMPY";

// These functions throw Error for a damaged file. They never evaluate code in a header.
std::shared_ptr<const TensorFile> open_npy(const Bytes& bytes, const std::string& origin);
std::shared_ptr<const TensorFile> open_npz(const Bytes& bytes, const std::string& origin);

// Returns the .npy header of a float32 tensor of this shape, as NumPy writes it.
std::string npy_header(const Shape& shape);

}  // namespace attn
