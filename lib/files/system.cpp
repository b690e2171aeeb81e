#include "files/system.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#if !defined(__wasi__)
#include <fcntl.h>

#include <filesystem>
#include <system_error>
#endif

namespace attn {

FileKind kind_of(const std::string& path) {
    struct stat there {};
    return ::stat(path.c_str(), &there) != 0 ? FileKind::none
           : S_ISREG(there.st_mode)          ? FileKind::file
           : S_ISDIR(there.st_mode)          ? FileKind::folder
                                             : FileKind::device;
}

std::string folder_of(const std::string& path) {
#if defined(_WIN32)
    const std::size_t separator = path.find_last_of("\\/:");
#else
    const std::size_t separator = path.rfind('/');
#endif
    return separator == std::string::npos ? "./" : path.substr(0, separator + 1);
}

bool input_is_terminal() {
    return ::isatty(STDIN_FILENO) != 0;
}

#if defined(_WIN32)

std::string without_links(const std::string& path) {
    return path;
}

std::string identity(const std::string& path) {
    char whole[_MAX_PATH];
    const bool is_whole = ::_fullpath(whole, path.c_str(), _MAX_PATH) != nullptr;
    return is_whole ? ::_strlwr(whole) : path;
}

void copy_mode(const std::string&, const std::string&) {}

int rename_over(const std::string& from, const std::string& to) {
    const auto path = [](const std::string& text) {
        return std::filesystem::path(std::u8string(text.begin(), text.end()));
    };
    std::error_code error;
    std::filesystem::rename(path(from), path(to), error);
    return error.default_error_condition().value();
}

void reserve_standard_streams() {}

#else

std::string identity(const std::string& path) {
    const std::string file = without_links(path);
    struct stat there {};
    if (::stat(file.c_str(), &there) == 0) {
        return fmt::format("{}:{}", there.st_dev, there.st_ino);
    }
    const std::string folder = folder_of(file);
    const std::size_t name = file.rfind('/') + 1;  // npos + 1 is 0
    return ::stat(folder.c_str(), &there) == 0
               ? fmt::format("{}:{}/{}", there.st_dev, there.st_ino, file.substr(name))
               : file;
}

int rename_over(const std::string& from, const std::string& to) {
    return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

#if defined(__wasi__)

std::string without_links(const std::string& path) {
    return path;
}

void copy_mode(const std::string&, const std::string&) {}

void reserve_standard_streams() {}

#else

std::string without_links(const std::string& path) {
    std::filesystem::path file = path;
    std::error_code ignored;  // what cannot be followed fails when it is opened
    constexpr int longest_chain = 40;
    for (int i = 0; i < longest_chain && is_symlink(file, ignored); ++i) {
        file = file.parent_path() / read_symlink(file, ignored);
    }
    return file.string();
}

void copy_mode(const std::string& from, const std::string& to) {
    struct stat there {};
    constexpr mode_t permissions = 0777;
    if (::stat(from.c_str(), &there) == 0) {
        ::chmod(to.c_str(), there.st_mode & permissions);
    }
}

void reserve_standard_streams() {
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
        if (::fcntl(stream, F_GETFD) < 0) {
            // The lowest number that is free is this one. Writing to it fails, as to a closed one.
            static_cast<void>(::open("/dev/null", O_RDONLY | O_CLOEXEC));
        }
    }
}

#endif
#endif

}  // namespace attn
