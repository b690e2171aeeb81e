// Writes a .npz as numpy.savez does: a ZIP file of stored .npy. The same tensors give the same bytes, for
// every member is from 1980, the oldest date a ZIP file knows.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "tensor/tensor.hpp"

namespace attn {

class NpzWriter {
public:
    using Write = std::function<void(std::string_view)>;

    explicit NpzWriter(Write write) : write_(std::move(write)) {}

    // The array numpy.load() gives under this name, which must be another each time. Throws Error when the
    // file would grow beyond 4 GiB.
    void add(std::string_view name, const Tensor& tensor);
    // The directory, without which it is no file. Nothing may be added after it.
    void end();

private:
    void write(std::string_view bytes);

    Write write_;
    std::uint64_t written_ = 0;
    std::string directory_;
    std::uint16_t count_ = 0;
};

}  // namespace attn
