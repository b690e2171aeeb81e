// Any bytes as a file of tensors: every tensor that is listed can be read, or is refused.
#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "files/tensor_file_reader.hpp"
#include "tensor/error.hpp"

namespace {

// A file of its own for each process, which lies in memory where there is such a place.
const std::string& scratch_file() {
    static const std::string path = (::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") +
                                    std::string("/attn-fuzz-") + std::to_string(::getpid());
    static const int removed = std::atexit([] { ::unlink(scratch_file().c_str()); });
    static_cast<void>(removed);
    return path;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const int file = ::open(scratch_file().c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || ::write(file, bytes, size) != static_cast<ssize_t>(size)) {
        std::abort();
    }
    ::close(file);
    try {
        const auto data = std::make_shared<const attn::FileBytes>(scratch_file());
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
