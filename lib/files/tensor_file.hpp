// Named tensors that are read when they are asked for: of a file of any format, or in memory. Which names a
// stage needs is decided in lib/weights. Pickles (.pt, .pth, .bin, .pkl) are never read, because reading one
// runs what is in it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/tensor.hpp"

namespace attn {

// Numbers allowed in an array: finite ones; also booleans or bytes of a mask; or all, with NaN, infinities
// and whole numbers.
enum class Contents { finite, mask, any };

// A type of numbers in files.
struct NumberType {
    std::string_view npy, safetensors;  // its names there
    std::size_t width;                  // in bytes
    double (*read)(const char* bytes);
    Contents least;  // with which it is read
};

// The type of that name in .npy or .safetensors; null when it is not read.
const NumberType* find_number_type(std::string_view name);

// The description of a tensor in a file. None of its numbers have been read.
struct TensorEntry {
    std::string name;  // as the file has it; empty for the one array of a file without names
    std::vector<std::uint64_t> sizes;
    std::string type;  // the file's name for it
    // Gives the bytes of the numbers, row-major, which may lie in the buffer.
    std::function<std::string_view(std::string& buffer)> bytes;
    bool fortran_order = false;  // the first axis runs fastest, as in x.T

    bool has_shape(const Shape& shape) const;
    // As Shape::text(): "(2, 6, 3)".
    std::string shape_text() const;
};

using Bytes = std::shared_ptr<const std::string>;
using TensorMap = std::map<std::string, Tensor, std::less<>>;

class TensorFile {
public:
    // Without entries yet. The bytes are those that entries refer to.
    TensorFile(std::string origin, Bytes bytes) : origin_(std::move(origin)), owner_(std::move(bytes)) {}
    // Tensors in memory.
    TensorFile(std::string origin, TensorMap tensors);

    // The file, for messages.
    const std::string& origin() const { return origin_; }
    const std::vector<TensorEntry>& entries() const { return entries_; }
    // The entry of that name; null when there is none.
    const TensorEntry* find(std::string_view name) const;

    // Throws Error for a name that was added before, and when the numbers do not take `size` bytes.
    void add(TensorEntry entry, std::uint64_t size);

    // The numbers of one of entries(), as float32. Throws Error, naming the place, for other contents and for
    // shapes that no Tensor has.
    Tensor read(const TensorEntry& entry, Contents contents) const;

private:
    std::string origin_;
    std::shared_ptr<const void> owner_;  // of the bytes
    std::vector<TensorEntry> entries_;
    std::map<std::string, std::size_t, std::less<>> by_name_;
};

// The tensors of a file, whose format is detected from its content: NumPy's .npy and .npz, and .safetensors;
// null when the bytes are of none of these, and so should be JSON. Throws Error for a damaged file and for a
// pickle.
std::shared_ptr<const TensorFile> open_tensor_file(const Bytes& bytes, const std::string& origin);

// The float32 numbers of a tensor as files store them.
std::string_view little_endian_bytes(const Tensor& tensor);

}  // namespace attn
