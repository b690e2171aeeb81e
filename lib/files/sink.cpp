// Writing with POSIX calls. A file is written beside its target under another name, synchronised and renamed:
// readers see the old bytes or the new, and a failure at any point leaves the old.
#include "files/sink.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "tensor/error.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 16U;
constexpr std::string_view standard_output = "standard output";
constexpr std::string_view standard_output_device = "/dev/stdout";

[[noreturn]] void fail_to_write(std::string_view name, int error) {
    throw Error(fmt::format("{}: cannot be written ({}).", name, std::generic_category().message(error)));
}

void write_all(int descriptor, std::string_view text, std::string_view name) {
    while (!text.empty()) {
        const ssize_t written = ::write(descriptor, text.data(), text.size());
        if (written > 0) {
            text.remove_prefix(static_cast<std::size_t>(written));
        } else if (written < 0 && errno == EAGAIN) {
            pollfd ready{descriptor, POLLOUT, 0};  // a pipe or terminal another program left non-blocking
            ::poll(&ready, 1, -1);
        } else if (written == 0 || errno != EINTR) {
            fail_to_write(name, written == 0 ? EIO : errno);
        }
    }
}

// Opens above the three standard streams: were standard output closed, the file would take its number and
// receive whatever is printed. -1 and errno on failure.
int open_file(const std::string& path, int flags, mode_t mode) {
    int low = ::open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, mode);
    if (low < 0 || low > STDERR_FILENO) {
        return low;
    }
    const int high = ::fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int error = errno;
    ::close(low);
    errno = error;
    return high;
}

// Whether the bytes are safe on the disk; file systems that cannot promise it (some FUSE ones) say EINVAL.
bool synchronise(int descriptor) {
    while (::fsync(descriptor) != 0) {
        if (errno != EINTR) {
            return errno == EINVAL || errno == ENOSYS || errno == ENOTSUP;
        }
    }
    return true;
}

void close_if_open(int descriptor) {
    if (descriptor > STDERR_FILENO) {
        ::close(descriptor);
    }
}

// The file a chain of symbolic links leads to, which need not exist.
std::filesystem::path follow_links(std::filesystem::path path) {
    std::error_code ignored;  // what cannot be followed fails when it is opened
    constexpr int longest_chain = 40;
    for (int i = 0; i < longest_chain && std::filesystem::is_symlink(path, ignored); ++i) {
        path = path.parent_path() / std::filesystem::read_symlink(path, ignored);
    }
    return path;
}

// Whether the input and the output are one regular file.
bool same_file(const std::string& input, const std::string& output) {
    struct stat first {};
    struct stat second {};
    const int found = input == "-" ? ::fstat(STDIN_FILENO, &first) : ::stat(input.c_str(), &first);
    return found == 0 && output != "-" && ::stat(output.c_str(), &second) == 0 && S_ISREG(first.st_mode) &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

// What stands there is written through, not replaced.
bool is_written_through(const std::string& path) {
    struct stat there {};
    return path == "-" || path == standard_output_device ||
           (::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode));
}

}  // namespace

Sink::Sink(const std::string& path) : Sink() {
    buffer_.reserve(buffer_size);
    if (path == "-" ||
        path == standard_output_device) {  // the latter may lead to a file, which the shell keeps open
        name_ = standard_output;
        descriptor_ = STDOUT_FILENO;
        return;
    }
    if (path.empty()) {
        throw Error("an empty name is no file to write; give the path of one, or - for standard output.");
    }
    name_ = printable(path);
    replace(path);
}

void Sink::replace(const std::string& path) {
    struct stat old {};
    const bool exists = ::stat(path.c_str(), &old) == 0;
    if (!exists && errno != ENOENT) {
        fail(errno);
    }
    if (exists && S_ISDIR(old.st_mode)) {
        throw Error(name_ + ": is a folder; give the path of a file.");
    }
    if (exists && !S_ISREG(old.st_mode)) {
        descriptor_ = open_file(path, O_WRONLY, 0);
        if (descriptor_ < 0) {
            fail(errno);
        }
        return;
    }
    // Renaming asks for the folder's permission only; a write-protected file is to stay all the same.
    if (exists && ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) {
        fail(errno);
    }
    const std::filesystem::path target = follow_links(path);
    const std::string folder = target.has_parent_path() ? target.parent_path().string() : ".";
    target_ = target.string();
    folder_ = open_file(folder, O_RDONLY | O_DIRECTORY, 0);
    if (folder_ < 0 && errno == ENOENT) {
        throw Error(
            fmt::format("{}: the folder {} does not exist; create it first.", name_, printable(folder)));
    }
    if (folder_ < 0 && errno != EACCES) {  // a folder that may be written but not read cannot be synchronised
        fail(errno);
    }
    create_temporary(folder, exists ? 0600 : 0666);  // nobody else may read it until it has the old mode
    constexpr mode_t permissions = 0777;             // not set-user-ID: the new file may have another owner
    if (exists && ::fchmod(descriptor_, old.st_mode & permissions) != 0) {
        fail(errno);
    }
}

void Sink::create_temporary(const std::string& folder, unsigned mode) {
    constexpr int attempts = 100;  // some names may be left over from killed runs
    for (int i = 0; i < attempts; ++i) {
        temporary_ = fmt::format("{}/.attn-walkthrough-{}-{}.tmp", folder, ::getpid(), i);
        until_committed_.emplace(temporary_);
        descriptor_ = open_file(temporary_, O_WRONLY | O_CREAT | O_EXCL, mode);
        if (descriptor_ >= 0) {
            return;
        }
        if (errno != EEXIST) {
            break;
        }
        temporary_.clear();  // another run's: not ours to delete
        until_committed_.reset();
    }
    throw Error(fmt::format("{}: cannot be written, as no file can be created beside it ({}).", name_,
                            std::generic_category().message(errno)));
}

Sink::~Sink() {
    close_if_open(descriptor_);
    close_if_open(folder_);
    if (!temporary_.empty()) {
        ::unlink(temporary_.c_str());
    }
}

void Sink::write(std::string_view text) {
    if (buffer_.size() + text.size() > buffer_size) {
        flush();
    }
    if (text.size() > buffer_size) {
        pass_on(text);
    } else {
        buffer_ += text;
    }
}

void Sink::commit() {
    flush();
    if (descriptor_ == STDOUT_FILENO) {
        return;
    }
    if (!target_.empty() && !synchronise(descriptor_)) {
        fail(errno);
    }
    if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) {  // interrupted, it is closed too
        fail(errno);
    }
    if (target_.empty()) {
        return;
    }
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0) {
        fail(errno);
    }
    temporary_.clear();
    until_committed_.reset();
    if (folder_ >= 0 && !synchronise(folder_)) {
        throw Error(fmt::format("{}: is written, but may not survive a power cut ({}).", name_,
                                std::generic_category().message(errno)));
    }
}

void Sink::flush() {
    pass_on(buffer_);
    buffer_.clear();
}

void Sink::pass_on(std::string_view text) {
    write_all(descriptor_, text, name_);
    written_ += text.size();
    if (watcher_ && !temporary_.empty()) {
        watcher_(written_);
    }
}

void Sink::fail(int error) const {
    fail_to_write(name_, error);
}

void write_standard_output(std::string_view text) {
    write_all(STDOUT_FILENO, text, standard_output);
}

void refuse_to_overwrite(const std::string& input, const std::string& output) {
    if (same_file(input, output)) {
        throw Error(printable(output) + ": is the input; give another file to write.");
    }
}

bool leads_to_one_file(const std::string& a, const std::string& b) {
    if (is_written_through(a) || is_written_through(b)) {
        return false;
    }
    std::error_code ignored;  // what cannot be followed fails when it is opened
    return std::filesystem::weakly_canonical(follow_links(a), ignored) ==
               std::filesystem::weakly_canonical(follow_links(b), ignored) ||
           same_file(a, b);
}

void require_writable(const std::string& path) {
    if (!is_written_through(path)) {
        const Sink tried(path);
    }
}

}  // namespace attn
