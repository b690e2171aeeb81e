// Named tensors that are read on request, from a file of any format or from memory. lib/weights decides which
// names a stage needs. Pickles (.pt, .pth, .bin, .pkl) are never read, because reading one runs code in it.
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

// The numbers that an array may contain. finite: finite floating-point numbers; mask: booleans and bytes,
// too; any: also NaN, infinities and whole numbers.
enum class Contents { finite, mask, any };

// A number type in files.
struct NumberType {
    std::string_view npy, safetensors;  // the type's names in .npy and .safetensors
    std::size_t width;                  // bytes per number
    double (*read)(const char* bytes);
    Contents least;  // the contents for which this type is allowed
};

// Returns the type of that name in .npy or .safetensors, or null when it is not supported.
const NumberType* find_number_type(std::string_view name);

// The description of a tensor in a file, made before any of its numbers are read.
struct TensorEntry {
    std::string name;  // the tensor's name in the file; empty for the only array of a file without names
    std::vector<std::uint64_t> sizes;
    std::string type;  // the type's name in the file
    // Returns the bytes of the numbers, row-major; they may be a part of the file's buffer.
    std::function<std::string_view(std::string& buffer)> bytes;
    bool fortran_order = false;  // column-major, like x.T

    bool has_shape(const Shape& shape) const;
    // Returns the shape as Shape::text() does: "(2, 6, 3)".
    std::string shape_text() const;
};

using Bytes = std::shared_ptr<const std::string>;
using TensorMap = std::map<std::string, Tensor, std::less<>>;

class TensorFile {
public:
    // Starts without entries; the entries' numbers are parts of these bytes.
    TensorFile(std::string origin, Bytes bytes) : origin_(std::move(origin)), owner_(std::move(bytes)) {}
    // Holds tensors that are already in memory.
    TensorFile(std::string origin, TensorMap tensors);

    // The file's name, for messages.
    const std::string& origin() const { return origin_; }
    const std::vector<TensorEntry>& entries() const { return entries_; }
    // Returns the entry of that name, or null when there is none.
    const TensorEntry* find(std::string_view name) const;

    // Throws Error for a duplicate name, and when the numbers do not take `size` bytes.
    void add(TensorEntry entry, std::uint64_t size);

    // Returns the numbers of an entry as float32. Throws Error with the place for contents that are not
    // allowed, for an entry without numbers, and for shapes that no Tensor can have.
    Tensor read(const TensorEntry& entry, Contents contents) const;

private:
    std::string origin_;
    std::shared_ptr<const void> owner_;  // owns the bytes that entries refer to
    std::vector<TensorEntry> entries_;
    std::map<std::string, std::size_t, std::less<>> by_name_;
};

// Returns the tensors of a file, whose format is detected from its content: .npy, .npz or .safetensors.
// Returns null for other content, which should be JSON. Throws Error for a damaged file and for a pickle.
std::shared_ptr<const TensorFile> open_tensor_file(const Bytes& bytes, const std::string& origin);

// Returns a tensor's float32 numbers as files store them.
std::string_view little_endian_bytes(const Tensor& tensor);

}  // namespace attn
