#include "files/sink.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <random>
#include <system_error>
#include <utility>

#include "files/source.hpp"
#include "files/system.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

// Throws Error with the system's text for errno.
void require(bool success, std::string_view name) {
    if (!success) {
        throw Error("{}: cannot be written ({}).", name, std::generic_category().message(errno));
    }
}

bool is_standard_output(const std::string& path) {
    return path == "-" || path == "/dev/stdout";
}

std::string output_name(const std::string& path) {
    return is_standard_output(path) ? "standard output" : printable(path);
}

// /dev/stderr and /dev/fd/3 may lead to a file, which is then appended to instead of replaced.
bool is_written_through(const std::string& path) {
    return is_standard_output(path) || path == "/dev/stderr" || folder_of(path) == "/dev/fd/" ||
           kind_of(path) == FileKind::device;
}

}  // namespace

Sink::Sink(const std::string& path) : name_(output_name(path)) {
    if (path.empty()) {
        throw Error("an empty file name; give a path, or - for standard output.");
    }
    if (kind_of(path) == FileKind::folder) {
        throw Error("{}: is a folder; give the path of a file.", name_);
    }
    refuse_to_overwrite_input(path);
    if (is_written_through(path)) {
        file_ = is_standard_output(path) ? stdout : std::fopen(path.c_str(), "ab");
        require(file_ != nullptr, name_);
        return;
    }
    if (std::FILE* const old = std::fopen(path.c_str(), "r+b")) {
        std::fclose(old);
    } else {
        require(errno == ENOENT, name_);
    }
    target_ = without_links(path);
    const std::string folder = folder_of(target_);
    temporary_ = fmt::format("{}.attn-walkthrough-{:08x}.tmp", folder, std::random_device()());
    remove_on_signal(temporary_.c_str());
    file_ = std::fopen(temporary_.c_str(), "wb");
    if (file_ == nullptr) {
        const int error = errno;
        keep_on_signal(temporary_.c_str());
        if (!folder.empty() && kind_of(folder) == FileKind::none) {
            throw Error("{}: the folder {} does not exist; create it first.", name_, printable(folder));
        }
        errno = error;
        require(false, name_);
    }
    copy_mode(target_, temporary_);
}

Sink::~Sink() {
    if (file_ != nullptr && file_ != stdout) {
        std::fclose(file_);
    }
    if (!temporary_.empty()) {
        std::remove(temporary_.c_str());
        keep_on_signal(temporary_.c_str());
    }
}

void Sink::write(std::string_view text) {
    require(std::fwrite(text.data(), 1, text.size(), file_) == text.size(), name_);
}

void Sink::finish() {
    require(std::fflush(file_) == 0, name_);
    std::FILE* const file = std::exchange(file_, nullptr);
    require(file == stdout || std::fclose(file) == 0, name_);
}

void Sink::commit() {
    if (!target_.empty()) {
        refuse_to_overwrite_input(target_);  // it may have been read meanwhile
        errno = rename_over(temporary_, target_);
        require(errno == 0, name_);
        keep_on_signal(temporary_.c_str());
        temporary_.clear();
    }
}

void write_standard_output(std::string_view text) {
    Sink sink("-");
    sink.write(text);
    sink.finish();
}

void refuse_to_overwrite_input(const std::string& output) {
    if (was_read(is_standard_output(output) ? "/dev/stdout" : output)) {
        throw Error("{}: this file is the input; give another file to write.", output_name(output));
    }
}

bool would_be_one_file(const std::string& a, const std::string& b) {
    return !is_written_through(a) && !is_written_through(b) && leads_to_one_file(a, b);
}

void require_writable(const std::string& path) {
    if (!is_written_through(path)) {
        const Sink tried(path);
    }
}

}  // namespace attn
