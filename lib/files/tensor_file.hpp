// Named tensors that are read when they are asked for: a file of any format, or what was made of one. Which
// names a stage needs is said by Weights; which formats there are by lib/files.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tensor/tensor.hpp"

namespace attn {

// What a file says about one of its tensors. Nothing has been read of its numbers.
struct TensorEntry {
    std::string name;  // as the file has it; empty for the one array of a file without names
    std::vector<std::uint64_t> sizes;

    bool has_shape(const Shape& shape) const;
    // As Shape::text(): "(2, 6, 3)".
    std::string shape_text() const;
};

// What the numbers of an array may be: finite ones; truth values and bytes as well, of a mask; or whatever a
// computation leaves behind, NaN, infinities and whole numbers among it.
enum class Contents { finite, mask, any };

class TensorFile {
public:
    TensorFile(const TensorFile&) = delete;
    TensorFile& operator=(const TensorFile&) = delete;
    virtual ~TensorFile() = default;

    // The file, for messages.
    const std::string& origin() const { return origin_; }
    const std::vector<TensorEntry>& entries() const { return entries_; }
    // The entry of that name, as printable() shows it; null when there is none.
    const TensorEntry* find(std::string_view name) const;

    // The numbers of one of entries(), as float32. Throws Error, naming the place, for other contents, and
    // for what is no number or too large.
    virtual Tensor read(const TensorEntry& entry, Contents contents) const = 0;

protected:
    explicit TensorFile(std::string origin) : origin_(std::move(origin)) {}

    // Throws Error for a name that looks as another does.
    void add(TensorEntry entry);

private:
    std::string origin_;
    std::vector<TensorEntry> entries_;
    std::map<std::string, std::size_t, std::less<>> by_shown_name_;
};

using TensorMap = std::map<std::string, Tensor, std::less<>>;

// Tensors that are in memory already.
class TensorsInMemory : public TensorFile {
public:
    TensorsInMemory(std::string origin, TensorMap tensors);
    Tensor read(const TensorEntry& entry, Contents contents) const override;

private:
    TensorMap tensors_;
};

}  // namespace attn
