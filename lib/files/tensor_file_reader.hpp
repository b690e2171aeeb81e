// The files of tensors, told apart by their content: NumPy's .npy and .npz, and .safetensors. JSON is read
// elsewhere, and pickles (.pt, .pth, .bin, .pkl) are never read, because reading one runs what is in it.
#pragma once

#include <memory>
#include <string>

#include "files/tensor_file.hpp"

namespace attn {

// The tensors of the file; null when the bytes are of none of these formats, and so should be JSON. Throws
// Error for a damaged file and for a pickle.
std::shared_ptr<const TensorFile> open_tensor_file(const Bytes& bytes, const std::string& origin);

}  // namespace attn
