// A map is private and read-only. A file that another program shortens meanwhile raises SIGBUS where its
// bytes are read; what becomes of that is the program's to say.
#include "files/file_bytes.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>

namespace attn {

FileBytes::FileBytes(const std::string& path, InputLimit limit) : path_(path), limit_(limit) {
    // A pipe is opened but once: closed in between, it would be gone for whoever writes to it.
    const int descriptor =
        can_be_read_again(path) ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    struct stat file {};
    if (descriptor >= 0 && ::fstat(descriptor, &file) == 0 && S_ISREG(file.st_mode) && file.st_size > 0) {
        const auto size = static_cast<std::size_t>(file.st_size);
        if (limit && size > *limit) {
            ::close(descriptor);
            require_readable_size(path, size, *limit);
        }
        void* const start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (start != MAP_FAILED) {
            mapped_ = start;
            view_ = {static_cast<const char*>(start), size};
        }
    }
    if (descriptor >= 0) {
        ::close(descriptor);
    }
    if (mapped_ == nullptr) {
        read_ = read_source(path, limit);  // which also says what is wrong with a file that cannot be opened
        view_ = read_;
    }
}

std::string_view FileBytes::text() const {
    require_readable_size(path_, view_.size(), limit_.value_or(default_max_input_bytes));
    return view_;
}

void FileBytes::require_within_limit(std::uint64_t size) const {
    if (limit_) {
        require_readable_size(path_, size, *limit_);
    }
}

FileBytes::~FileBytes() {
    if (mapped_ != nullptr) {
        ::munmap(mapped_, view_.size());
    }
}

}  // namespace attn
