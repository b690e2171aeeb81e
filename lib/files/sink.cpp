#include "files/sink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <system_error>
#include <utility>

#include "files/system.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

constexpr std::string_view standard_output = "standard output";

[[noreturn]] void fail_to_write(std::string_view name, int error) {
    throw Error("{}: cannot be written ({}).", name, std::generic_category().message(error));
}

bool is_standard_output(const std::string& path) {
    return path == "-" || path == "/dev/stdout";
}

// What /dev/stderr and /dev/fd/3 lead to may be a file, which is to be appended to.
bool is_written_through(const std::string& path) {
    return path == "-" || path.starts_with("/dev/") || kind_of(path) == FileKind::device;
}

}  // namespace

Sink::Sink(const std::string& path) : name_(is_standard_output(path) ? standard_output : printable(path)) {
    if (path.empty()) {
        throw Error("an empty name is no file to write; give the path of one, or - for standard output.");
    }
    if (kind_of(path) == FileKind::folder) {
        throw Error("{}: is a folder; give the path of a file.", name_);
    }
    reserve_standard_streams();
    if (is_written_through(path)) {
        file_ = is_standard_output(path) ? stdout : std::fopen(path.c_str(), "ab");
    } else if (std::FILE* const old = std::fopen(path.c_str(), "r+b")) {  // it may be written
        std::fclose(old);
        create_temporary(without_links(path));
    } else if (errno == ENOENT) {
        create_temporary(without_links(path));
    }
    if (file_ == nullptr) {
        fail_to_write(name_, errno);
    }
}

void Sink::create_temporary(const std::string& target) {
    target_ = target;
    const std::string folder = folder_of(target);
    temporary_ = fmt::format("{}.attn-walkthrough-{:08x}.tmp", folder, std::random_device()());
    file_ = std::fopen(temporary_.c_str(), "wb");
    const int error = errno;
    if (file_ != nullptr) {
        copy_mode(target_, temporary_);
    } else if (error == ENOENT) {
        throw Error("{}: the folder {} does not exist; create it first.", name_,
                    printable(folder.substr(0, std::max<std::size_t>(folder.size(), 2) - 1)));
    } else {
        throw Error("{}: cannot be written, as no file can be created beside it ({}).", name_,
                    std::generic_category().message(error));
    }
}

Sink::~Sink() {
    if (file_ != nullptr && file_ != stdout) {
        std::fclose(file_);
    }
    if (!temporary_.empty()) {
        std::remove(temporary_.c_str());
    }
}

void Sink::write(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) {
        fail_to_write(name_, errno);
    }
    written_ += text.size();
    if (watcher_ && !target_.empty()) {
        watcher_(written_);
    }
}

void Sink::commit() {
    close();
    if (!target_.empty()) {
        if (const int error = rename_over(temporary_, target_)) {
            fail_to_write(name_, error);
        }
        temporary_.clear();
    }
}

void Sink::close() {
    std::FILE* const file = std::exchange(file_, nullptr);
    if (std::fflush(file) != 0) {
        const int error = errno;
        file_ = file;
        fail_to_write(name_, error);
    }
    if (file != stdout && std::fclose(file) != 0) {
        fail_to_write(name_, errno);
    }
}

void write_standard_output(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
        fail_to_write(standard_output, errno);
    }
}

void refuse_to_overwrite(const std::string& input, const std::string& output) {
    if (kind_of(output) == FileKind::file && leads_to_one_file(input, output)) {
        throw Error("{}: is the input; give another file to write.", printable(output));
    }
}

bool leads_to_one_file(const std::string& a, const std::string& b) {
    return !is_written_through(a) && !is_written_through(b) && identity(a) == identity(b);
}

void require_writable(const std::string& path) {
    if (!is_written_through(path)) {
        const Sink tried(path);
    }
}

}  // namespace attn
