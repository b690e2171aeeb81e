// Reads a file to its end. A folder opens like a file and fails on the first read, and a device or a pipe has
// no size to ask for: so everything is read in pieces, and the limit checked as they come.
#include "files/source.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "tensor/error.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

struct Close {
    void operator()(std::FILE* file) const {
        if (file != stdin) {
            std::fclose(file);  // only read from: nothing can be lost
        }
    }
};

[[noreturn]] void fail(const std::string& path, int error) {
    const std::string name = printable(source_name(path));
    struct stat there {};
    if (::stat(path.c_str(), &there) == 0 && S_ISDIR(there.st_mode)) {
        error = EISDIR;  // on Windows opening a folder is EACCES
    }
    switch (error) {
        case ENOENT:
            throw Error("{}: there is no such file; give the path of one, or - for standard input.", name);
        case EISDIR:
            throw Error("{}: is a folder; give the path of a file.", name);
        case EACCES:
            throw Error("{}: may not be read (Permission denied); give a file you may read.", name);
        default:
            throw Error("{}: cannot be read ({}).", name, std::generic_category().message(error));
    }
}

}  // namespace

std::string read_source(const std::string& path, InputLimit limit) {
    const std::unique_ptr<std::FILE, Close> file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
    if (file == nullptr) {
        fail(path, errno);
    }
    constexpr std::size_t piece = std::size_t{1} << 18U;
    std::string text;
    std::size_t size = 0;
    while (std::feof(file.get()) == 0) {
        text.resize(size + piece);
        size += std::fread(text.data() + size, 1, piece, file.get());
        if (std::ferror(file.get()) != 0) {
            fail(path, errno);
        }
        require_readable_size(path, size, limit.value_or(default_max_input_bytes));
    }
    if (size == 0) {
        throw Error("{}: is empty; give a file with something in it.", printable(source_name(path)));
    }
    text.resize(size);
    return text;
}

void require_readable_size(const std::string& path, std::size_t size, std::size_t limit) {
    if (size > limit) {
        throw Error("{}: holds more than {} bytes, the most that is read; `max_input_bytes` N raises it.",
                    printable(source_name(path)), limit);
    }
}

bool can_be_read_again(const std::string& path) {
    struct stat there {};
    return path != "-" && ::stat(path.c_str(), &there) == 0 && S_ISREG(there.st_mode);
}

std::string source_name(const std::string& path) {
    return path == "-" ? "standard input" : path.empty() ? "\"\"" : path;
}

}  // namespace attn
