// Writing with POSIX calls. A file is written beside its target under another name, synchronised and renamed:
// readers see the old bytes or the new, and a failure at any point leaves the old.
#include "files/sink.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "tensor/error.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 16U;
constexpr std::string_view standard_output = "standard output";

[[noreturn]] void fail_to_write(std::string_view name, int error) {
    throw Error("{}: cannot be written ({}).", name, std::generic_category().message(error));
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

// What is written under a name: a descriptor that is open already, or a file, which need not exist.
struct Destination {
    int descriptor = -1;
    std::filesystem::path file{};
};

// The descriptor a path such as /dev/fd/3 stands for, or -1. A system without /proc still knows /dev/stdout.
int descriptor_of(const std::filesystem::path& path) {
    const std::filesystem::path descriptors = "/proc/self/fd";
    const std::filesystem::path folder = path.parent_path();
    std::error_code ignored;
    if (folder != descriptors &&
        (!is_directory(folder, ignored) || !equivalent(folder, descriptors, ignored))) {
        return -1;
    }
    const std::string number = path.filename();
    int descriptor = -1;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), descriptor);
    return error == std::errc() && end == number.data() + number.size() ? descriptor : -1;
}

// Follows symbolic links, of which /dev/stdout is one, as far as they lead to names.
Destination destination_of(const std::string& name) {
    if (name == "-") {
        return {STDOUT_FILENO};
    }
    std::filesystem::path path = name;
    std::error_code ignored;  // what cannot be followed fails when it is opened
    constexpr int longest_chain = 40;
    for (int i = 0; i < longest_chain; ++i) {
        if (const int descriptor = descriptor_of(path); descriptor >= 0) {
            return {descriptor};
        }
        if (!is_symlink(path, ignored)) {
            break;
        }
        path = path.parent_path() / read_symlink(path, ignored);
    }
    return {-1, path};
}

std::string folder_of(const std::filesystem::path& file) {
    return file.has_parent_path() ? file.parent_path().string() : ".";
}

// What the system knows a file by; nothing when there is none.
std::optional<struct stat> status_of(const Destination& to) {
    struct stat there {};
    const int found = to.descriptor >= 0 ? ::fstat(to.descriptor, &there) : ::stat(to.file.c_str(), &there);
    return found == 0 ? std::optional(there) : std::nullopt;
}

bool are_one(const struct stat& a, const struct stat& b) {
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// What stands there is written through, not replaced.
bool is_written_through(const Destination& to) {
    const std::optional<struct stat> there = status_of(to);
    return to.descriptor >= 0 || (there && !S_ISREG(there->st_mode) && !S_ISDIR(there->st_mode));
}

}  // namespace

Sink::Sink(const std::string& path) : Sink() {
    buffer_.reserve(buffer_size);
    if (path.empty()) {
        throw Error("an empty name is no file to write; give the path of one, or - for standard output.");
    }
    const Destination to = destination_of(path);
    name_ = to.descriptor == STDOUT_FILENO ? standard_output : printable(path);
    if (to.descriptor >= 0) {
        descriptor_ = ::fcntl(to.descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        if (descriptor_ < 0) {
            fail(errno);
        }
        return;
    }
    open(path, to.file.string());
}

void Sink::open(const std::string& path, const std::string& file) {
    struct stat old {};
    const bool exists = ::stat(path.c_str(), &old) == 0;
    if (!exists && errno != ENOENT) {
        fail(errno);
    }
    if (exists && S_ISDIR(old.st_mode)) {
        throw Error("{}: is a folder; give the path of a file.", name_);
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
    if (exists && old.st_nlink > 1) {
        throw Error(
            "{}: has other names (hard links), under which it would stay as it is; give another file.",
            name_);
    }
    target_ = file;
    const std::string folder = folder_of(file);
    folder_ = open_file(folder, O_RDONLY | O_DIRECTORY, 0);
    if (folder_ < 0 && errno == ENOENT) {
        throw Error("{}: the folder {} does not exist; create it first.", name_, printable(folder));
    }
    if (folder_ < 0 && errno != EACCES) {  // a folder that may be written but not read cannot be synchronised
        fail(errno);
    }
    create_temporary(folder, exists ? 0600 : 0666);  // nobody else may read it until it has the old mode
    if (exists) {
        take_over(old.st_uid, old.st_gid, old.st_mode);
    }
}

void Sink::take_over(unsigned owner, unsigned group, unsigned mode) {
    struct stat created {};
    if (::fstat(descriptor_, &created) != 0) {
        fail(errno);
    }
    if ((created.st_uid != owner || created.st_gid != group) && ::fchown(descriptor_, owner, group) != 0) {
        throw Error(
            "{}: belongs to another user or group, to whom a new file in its place would not; "
            "give another file.",
            name_);
    }
    constexpr mode_t permissions = 0777;  // writing to a file takes set-user-ID from it, too
    if (::fchmod(descriptor_, mode & permissions) != 0) {
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
    throw Error("{}: cannot be written, as no file can be created beside it ({}).", name_,
                std::generic_category().message(errno));
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
        throw Error("{}: is written, but may not survive a power cut ({}).", name_,
                    std::generic_category().message(errno));
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
    const std::optional<struct stat> in =
        status_of(input == "-" ? Destination{STDIN_FILENO} : Destination{-1, input});
    const Destination to = destination_of(output);
    const std::optional<struct stat> out = status_of(to);
    if (in && out && S_ISREG(in->st_mode) && to.descriptor < 0 && are_one(*in, *out)) {
        throw Error("{}: is the input; give another file to write.", printable(output));
    }
}

bool leads_to_one_file(const std::string& a, const std::string& b) {
    const Destination to_a = destination_of(a);
    const Destination to_b = destination_of(b);
    if (is_written_through(to_a) && is_written_through(to_b)) {
        return false;
    }
    const std::optional<struct stat> at_a = status_of(to_a);
    const std::optional<struct stat> at_b = status_of(to_b);
    if (at_a || at_b) {
        return at_a && at_b && are_one(*at_a, *at_b);
    }
    const std::optional<struct stat> folder_a = status_of({-1, folder_of(to_a.file)});
    const std::optional<struct stat> folder_b = status_of({-1, folder_of(to_b.file)});
    return folder_a && folder_b && are_one(*folder_a, *folder_b) &&
           to_a.file.filename() == to_b.file.filename();
}

void require_writable(const std::string& path) {
    if (!is_written_through(destination_of(path))) {
        const Sink tried(path);
    }
}

}  // namespace attn
