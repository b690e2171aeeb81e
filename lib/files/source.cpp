#include "files/source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <limits>
#include <memory>
#include <system_error>

#include "files/system.hpp"
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
    switch (kind_of(path) == FileKind::folder ? EISDIR : error) {  // on Windows opening a folder is EACCES
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

// 0 where only reading tells: pipes, devices and standard input.
std::uint64_t size_of(const std::string& path, std::FILE* file) {
    if (file == stdin || kind_of(path) != FileKind::file || std::fseek(file, 0, SEEK_END) != 0) {
        return 0;
    }
    const long size = std::ftell(file);
    std::rewind(file);
    return size < 0 ? 0 : static_cast<std::uint64_t>(size);
}

}  // namespace

std::string read_source(const std::string& path) {
    const std::unique_ptr<std::FILE, Close> file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
    if (file == nullptr) {
        fail(path, errno);
    }
    const std::uint64_t expected = size_of(path, file.get());
    constexpr std::uint64_t addressable = std::numeric_limits<std::size_t>::max() / 2;
    const std::uint64_t most = expected > 0 ? std::min(max_file_bytes, addressable) : max_stream_bytes;
    const auto require_at_most = [&](std::uint64_t size) {
        if (size > most) {
            throw Error("{}: holds more than {} bytes, the most that is read.", printable(source_name(path)),
                        most);
        }
    };
    require_at_most(expected);
    constexpr std::size_t piece = std::size_t{1} << 18U;
    std::string text;
    text.reserve(static_cast<std::size_t>(expected) + piece);
    std::size_t size = 0;
    while (std::feof(file.get()) == 0) {
        text.resize(size + piece);
        size += std::fread(text.data() + size, 1, piece, file.get());
        if (std::ferror(file.get()) != 0) {
            fail(path, errno);
        }
        require_at_most(size);
    }
    if (size == 0) {
        throw Error("{}: is empty; give a file with something in it.", printable(source_name(path)));
    }
    text.resize(size);
    return text;
}

std::string source_name(const std::string& path) {
    return path == "-" ? "standard input" : path.empty() ? "\"\"" : path;
}

}  // namespace attn
