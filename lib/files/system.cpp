#include "files/system.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <system_error>

#include "tensor/error.hpp"
#include "text/lists.hpp"
#include "text/printable.hpp"

namespace attn {

namespace fs = std::filesystem;

namespace {

std::error_code ignored;  // the error is reported when the file is opened

// File names are UTF-8 on every platform; without this, Windows would use the C locale's encoding.
fs::path path_of(const std::string& name) {
    return std::u8string(name.begin(), name.end());
}

std::string shown_path(const fs::path& path) {
    const std::u8string name = path.u8string();
    return {name.begin(), name.end()};
}

// A signal handler may use only memory that exists already, so the number of files is limited.
std::array<std::atomic<const char*>, 64> files_to_remove;

void replace_first(const char* old, const char* path) {
    const auto place = std::ranges::find_if(files_to_remove, [&](const auto& one) { return one == old; });
    if (place != files_to_remove.end()) {
        *place = path;
    }
}

extern "C" void remove_files(int signal) {
    for (const std::atomic<const char*>& path : files_to_remove) {
        if (const char* const name = path) {
            ::unlink(name);
        }
    }
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

// Catches all signals that end a program. Those that are ignored, or caught by others, stay so.
void catch_signals() {
#ifdef SIGHUP
    constexpr int last = 64;  // of Linux; where there are fewer, the system refuses the rest
    constexpr std::array harmless{SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH};
#else
    constexpr int last = SIGABRT;
    constexpr std::array harmless{0};
#endif
    for (int signal = 1; signal <= last; ++signal) {
        if (attn::contains(harmless, signal)) {
            continue;
        }
        const auto before = std::signal(signal, remove_files);
        if (before != SIG_DFL && before != SIG_ERR) {
            std::signal(signal, before);
        }
    }
}

}  // namespace

FileKind kind_of(const std::string& path) {
    const fs::file_status status = fs::status(path_of(path), ignored);
    return fs::is_regular_file(status) ? FileKind::file
           : fs::is_directory(status)  ? FileKind::folder
           : fs::exists(status)        ? FileKind::device
                                       : FileKind::none;
}

bool is_character_device(const std::string& path) {
    return fs::is_character_file(path_of(path == "-" ? "/dev/stdin" : path), ignored);
}

std::vector<std::string> files_in(const std::string& folder) {
    std::vector<std::string> files;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(path_of(folder), error)) {
        if (entry.is_regular_file(ignored) && !shown_path(entry.path().filename()).starts_with('.')) {
            files.push_back(shown_path(entry.path()));
        }
    }
    if (error) {
        throw Error("{}: cannot be read ({}).", printable(folder), error.message());
    }
    std::ranges::sort(files);
    return files;
}

std::uint64_t file_size(const std::string& path) {
    return kind_of(path) == FileKind::file ? fs::file_size(path_of(path), ignored) : 0;
}

std::string without_links(const std::string& path) {
    fs::path file = path_of(path);
    constexpr int longest_chain = 40;
    for (int i = 0; i < longest_chain && fs::is_symlink(file, ignored); ++i) {
        file = file.parent_path() / fs::read_symlink(file, ignored);
    }
    return shown_path(file);
}

std::string folder_of(const std::string& path) {
    return path.substr(0, path.size() - shown_path(path_of(path).filename()).size());
}

bool leads_to_one_file(const std::string& a, const std::string& b) {
    const auto whole = [](const std::string& path) {
        return fs::weakly_canonical(fs::absolute(path_of(without_links(path)), ignored), ignored);
    };
    return fs::equivalent(path_of(a), path_of(b), ignored) || whole(a) == whole(b);
}

void copy_mode(const std::string& from, const std::string& to) {
    const fs::file_status status = fs::status(path_of(from), ignored);
    if (fs::exists(status)) {
        fs::permissions(path_of(to), status.permissions(), ignored);
    }
}

void remove_on_signal(const char* path) {
    static const bool caught = (catch_signals(), true);
    static_cast<void>(caught);
    replace_first(nullptr, path);
}

void keep_on_signal(const char* path) {
    replace_first(path, nullptr);
}

int rename_over(const std::string& from, const std::string& to) {
    std::error_code error;
    fs::rename(path_of(from), path_of(to), error);
    return error.default_error_condition().value();
}

bool input_is_terminal() {
    return ::isatty(STDIN_FILENO) != 0;
}

}  // namespace attn
