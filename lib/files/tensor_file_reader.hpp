// The files that hold tensors, told apart by what is in them: NumPy's .npy and .npz, and .safetensors. JSON
// is read elsewhere, and pickles (.pt, .pth, .bin, .pkl) are not read at all: reading one runs what is in it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "files/tensor_file.hpp"

namespace attn {

using Bytes = std::shared_ptr<const std::string>;

// The tensors of the file; null when the bytes are of none of
// these kinds, and so ought to be JSON. Throws Error for one of these kinds that is damaged, and for a
// pickle.
std::shared_ptr<const TensorFile> open_tensor_file(const Bytes& bytes, const std::string& origin);

// One kind each, for those who know.
std::shared_ptr<const TensorFile> open_npy(const Bytes& bytes, const std::string& origin);
std::shared_ptr<const TensorFile> open_npz(const Bytes& bytes, const std::string& origin);
std::shared_ptr<const TensorFile> open_safetensors(const Bytes& bytes, const std::string& origin);

}  // namespace attn
