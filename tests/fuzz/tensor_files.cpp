// Reads any bytes as a tensor file: every listed tensor can be read, or gives an Error.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "files/tensor_file.hpp"
#include "tensor/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    try {
        const auto data = std::make_shared<const std::string>(reinterpret_cast<const char*>(bytes), size);
        if (const auto tensors = attn::open_tensor_file(data, "fuzz")) {
            for (const auto& entry : tensors->entries()) {
                try {
                    tensors->read(entry, attn::Contents(entry.name.size() % 3));
                } catch (const attn::Error&) {
                }
            }
        }
    } catch (const attn::Error&) {
    }
    return 0;
}
