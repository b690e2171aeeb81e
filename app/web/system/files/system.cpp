// File system functions for the files of app/web/wasi.mjs. These have no links, permissions or devices.
#include "files/system.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

namespace attn {

FileKind kind_of(const std::string& path) {
    struct stat there {};
    return ::stat(path.c_str(), &there) != 0 ? FileKind::none
           : S_ISDIR(there.st_mode)          ? FileKind::folder
                                             : FileKind::file;
}

bool is_character_device(const std::string& /*path*/) {
    return false;
}

std::vector<std::string> files_in(const std::string&) {
    return {};  // a browser hands in files one by one
}

std::uint64_t file_size(const std::string& path) {
    struct stat there {};
    ::stat(path.c_str(), &there);
    return static_cast<std::uint64_t>(there.st_size);
}

std::string without_links(const std::string& path) {
    return path;
}

std::string folder_of(const std::string& path) {
    return path.substr(0, path.rfind('/') + 1);  // if nothing was found, npos + 1 is 0
}

bool leads_to_one_file(const std::string& a, const std::string& b) {
    const auto parts = [](const std::string& path) {
        std::vector<std::string> names;
        std::istringstream rest(path);
        for (std::string name; std::getline(rest, name, '/');) {
            if (name == ".." && !names.empty()) {
                names.pop_back();
            } else if (!name.empty() && name != "." && name != "..") {
                names.push_back(name);
            }
        }
        return names;
    };
    return parts(a) == parts(b);
}

void copy_mode(const std::string&, const std::string&) {}

void remove_on_signal(const char*) {}  // WebAssembly has no signals
void keep_on_signal(const char*) {}

int rename_over(const std::string& from, const std::string& to) {
    return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

bool input_is_terminal() {
    return ::isatty(STDIN_FILENO) != 0;
}

}  // namespace attn
