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

// The numbers that an array may contain. finite: finite floating-point numbers; mask: also booleans and
// bytes; any: all these, NaN, infinities and whole numbers.
enum class Contents { finite, mask, any };

// A number type in files.
struct NumberType {
    std::string_view npy, safetensors;  // the names of the type in .npy and .safetensors
    std::size_t width;                  // bytes per number
    double (*read)(const char* bytes);
    Contents least;  // this type is allowed for these contents
};

// Returns the number type with this name in .npy, in either byte order, or in .safetensors; null if it is not
// supported.
const NumberType* find_number_type(std::string_view name);

// The description of a tensor in a file. Its numbers are read later.
struct TensorEntry {
    std::string name;  // the tensor's name in the file; empty for the only array of a file without names
    std::vector<std::uint64_t> sizes;
    std::string type;  // the type's name in the file
    // Returns the bytes of the numbers, row-major. They may be part of the file's bytes.
    std::function<std::string_view(std::string& buffer)> bytes;
    bool fortran_order = false;  // true if the numbers are column-major, like those of x.T

    bool has_shape(const Shape& shape) const;
    // Returns the shape as Shape::text() does: "(2, 6, 3)".
    std::string shape_text() const;
};

using Bytes = std::shared_ptr<const std::string>;
using TensorMap = std::map<std::string, Tensor, std::less<>>;

// The most numbers that are read as a lesson, or to compare them. Weights may be larger.
inline constexpr std::size_t max_read_numbers = 10'000'000;

class TensorFile {
public:
    // Starts without entries. Entries that are added refer to these bytes.
    TensorFile(std::string origin, Bytes bytes) : origin_(std::move(origin)), owner_(std::move(bytes)) {}
    // Creates a file from tensors in memory.
    TensorFile(std::string origin, TensorMap tensors);

    // The file's name, for messages.
    const std::string& origin() const { return origin_; }
    const std::vector<TensorEntry>& entries() const { return entries_; }
    // Returns the entry with this name, or null.
    const TensorEntry* find(std::string_view name) const;

    // Adds an entry. Throws Error if the name exists already, or if the numbers do not take `size` bytes.
    void add(TensorEntry entry, std::uint64_t size);

    // Returns the numbers of an entry as float32. Throws Error, with the place, for contents that are not
    // allowed, for an entry without numbers, and for shapes that a Tensor cannot have.
    Tensor read(const TensorEntry& entry, Contents contents) const;

private:
    std::string origin_;
    std::shared_ptr<const void> owner_;  // the bytes to which entries refer
    std::vector<TensorEntry> entries_;
    std::map<std::string, std::size_t, std::less<>> by_name_;
};

// Returns the tensors of a .npy, .npz or .safetensors file; the content decides the format. Returns null for
// any other content, which should be JSON. Throws Error for a damaged file and for a pickle.
std::shared_ptr<const TensorFile> open_tensor_file(const Bytes& bytes, const std::string& origin);

// Throws Error for a pickle, with the line of Python that saves its tensors in a format that is read.
[[noreturn]] void refuse_pickle(std::string_view origin);

// Returns a tensor's float32 numbers as files store them.
std::string_view little_endian_bytes(const Tensor& tensor);

}  // namespace attn
