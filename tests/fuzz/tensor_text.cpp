// Reads any bytes as a paste.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "printed/reader.hpp"
#include "tensor/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    try {
        for (const attn::PrintedTensor& tensor : attn::read_tensors(text, "fuzz").tensors) {
            if (tensor.numbers.size() != tensor.shown.count()) {
                std::abort();
            }
        }
    } catch (const attn::Error&) {
    }
    return 0;
}
