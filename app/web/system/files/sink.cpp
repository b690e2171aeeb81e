// Files in memory: what is written is gathered and put in place at once, so that there is no other name
// meanwhile, nothing to synchronise, no link and no owner.
#include "files/sink.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "files/source.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

constexpr std::string_view standard_output = "standard output";

[[noreturn]] void fail_to_write(std::string_view name, int error) {
    throw Error(fmt::format("{}: cannot be written ({}).", name, std::generic_category().message(error)));
}

// The name without what leads nowhere: `./a` and `a` are one file.
std::string_view plain(std::string_view path) {
    while (path.starts_with("./") || path.starts_with('/')) {
        path.remove_prefix(path.starts_with('/') ? 1 : 2);
    }
    return path;
}

std::FILE* open_file(const std::string& path, const char* mode) {
    std::FILE* const file = std::fopen(path.c_str(), mode);
    if (file != nullptr) {
        return file;
    }
    const std::string name = printable(path);
    const std::size_t slash = path.rfind('/');
    if (errno == EISDIR) {
        throw Error(name + ": is a folder; give the path of a file.");
    }
    if (errno == ENOENT && slash != std::string::npos) {
        throw Error(fmt::format("{}: the folder {} does not exist; create it first.", name,
                                printable(path.substr(0, slash))));
    }
    fail_to_write(name, errno);
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
    std::FILE* const file = open_file(target_, "wb");
    const bool written = std::fwrite(buffer_.data(), 1, buffer_.size(), file) == buffer_.size();
    if (std::fclose(file) != 0 || !written) {
        fail_to_write(name_, errno);
    }
}

void write_standard_output(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
        fail_to_write(standard_output, errno);
    }
}

void refuse_to_overwrite(const std::string& input, const std::string& output) {
    if (input != "-" && output != "-" && plain(input) == plain(output)) {
        throw Error(printable(output) + ": is the input; give another file to write.");
    }
}

bool leads_to_one_file(const std::string& a, const std::string& b) {
    return a != "-" && b != "-" && plain(a) == plain(b);
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
