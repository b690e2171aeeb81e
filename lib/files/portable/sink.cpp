// Writing by the C library, for Windows and WebAssembly. The text is gathered in memory; commit() writes it
// beside the target under another name and renames it.
#include "files/sink.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "files/source.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

constexpr std::string_view standard_output = "standard output";

[[noreturn]] void fail_to_write(std::string_view name, int error) {
    throw Error("{}: cannot be written ({}).", name, std::generic_category().message(error));
}

#if defined(_WIN32)

bool are_one_file(const std::string& a, const std::string& b) {
    char whole_a[_MAX_PATH];
    char whole_b[_MAX_PATH];
    return ::_fullpath(whole_a, a.c_str(), _MAX_PATH) != nullptr &&
           ::_fullpath(whole_b, b.c_str(), _MAX_PATH) != nullptr && ::_stricmp(whole_a, whole_b) == 0;
}

// Replaces the target, which std::rename() on Windows does not.
bool rename_over(const std::string& from, const std::string& to) {
    const auto path = [](const std::string& text) {
        return std::filesystem::path(std::u8string(text.begin(), text.end()));
    };
    std::error_code error;
    std::filesystem::rename(path(from), path(to), error);
    errno = error.default_error_condition().value();
    return !error;
}

#else

// In a folder of files in memory.
std::string_view plain(std::string_view path) {
    while (path.starts_with("./") || path.starts_with('/')) {
        path.remove_prefix(path.starts_with('/') ? 1 : 2);
    }
    return path;
}

bool are_one_file(const std::string& a, const std::string& b) {
    return plain(a) == plain(b);
}

bool rename_over(const std::string& from, const std::string& to) {
    return std::rename(from.c_str(), to.c_str()) == 0;
}

#endif

std::FILE* open_file(const std::string& path, const char* mode) {
    std::FILE* const file = std::fopen(path.c_str(), mode);
    if (file != nullptr) {
        return file;
    }
    const int error = errno;
    const std::string name = printable(path);
    const std::size_t slash = path.find_last_of("/\\");
    struct stat there {};
    if (::stat(path.c_str(), &there) == 0 && S_ISDIR(there.st_mode)) {
        throw Error("{}: is a folder; give the path of a file.", name);
    }
    if (error == ENOENT && slash != std::string::npos) {
        const std::string folder = path.substr(0, slash);
        if (::stat(folder.c_str(), &there) != 0) {
            throw Error("{}: the folder {} does not exist; create it first.", name, printable(folder));
        }
        fail_to_write(name, S_ISDIR(there.st_mode) ? error : ENOTDIR);
    }
    fail_to_write(name, error);
}

}  // namespace

Sink::Sink(const std::string& path) {
    require_writable(path);
    target_ = path;
    name_ = path == "-" ? std::string(standard_output) : printable(path);
}

Sink::~Sink() = default;

void Sink::write(std::string_view text) {
    buffer_ += text;
    constexpr std::size_t many = std::size_t{1} << 20U;  // a call of the system costs more than a copy
    if (target_ == "-" && buffer_.size() > many) {
        flush();
    }
}

void Sink::flush() {
    write_standard_output(buffer_);
    buffer_.clear();
}

void Sink::commit() {
    if (target_ == "-") {
        return flush();
    }
    const std::string temporary = target_ + ".attn-walkthrough.tmp";
    std::FILE* const file = open_file(temporary, "wb");
    const bool is_written = std::fwrite(buffer_.data(), 1, buffer_.size(), file) == buffer_.size();
    if (std::fclose(file) != 0 || !is_written || !rename_over(temporary, target_)) {
        const int error = errno;
        std::remove(temporary.c_str());
        fail_to_write(name_, error);
    }
}

void write_standard_output(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
        fail_to_write(standard_output, errno);
    }
}

void refuse_to_overwrite(const std::string& input, const std::string& output) {
    if (leads_to_one_file(input, output)) {
        throw Error("{}: is the input; give another file to write.", printable(output));
    }
}

bool leads_to_one_file(const std::string& a, const std::string& b) {
    return a != "-" && b != "-" && are_one_file(a, b);
}

void require_writable(const std::string& path) {
    if (path.empty()) {
        throw Error("an empty name is no file to write; give the path of one, or - for standard output.");
    }
    if (path == "-") {
        return;
    }
    const bool existed = can_be_read_again(path);
    std::fclose(open_file(path, "ab"));
    if (!existed) {
        std::remove(path.c_str());
    }
}

}  // namespace attn
