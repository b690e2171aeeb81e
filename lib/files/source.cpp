#include "files/source.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "files/little_endian.hpp"
#include "files/safetensors.hpp"
#include "files/system.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

struct Close {
    void operator()(std::FILE* file) const {
        if (file != stdin) {
            std::fclose(file);  // the file is only read, so closing it cannot lose data
        }
    }
};

// The paths of all files that have been read. Each stays, because an output is checked against all of them.
std::vector<std::string>& paths_read() {
    static std::vector<std::string> paths;
    return paths;
}

void note_as_read(const std::string& path) {
    const std::string file = path == "-" ? "/dev/stdin" : path;
    if (kind_of(file) == FileKind::file) {
        paths_read().push_back(file);
    }
}

[[noreturn]] void fail(const std::string& path, int error) {
    const std::string name = printable(source_name(path));
    if (kind_of(path) == FileKind::folder) {
        throw Error("{}: is a folder; give the path of a file.", name);
    }
    if (error == ENOENT) {
        throw Error("{}: there is no such file; give the path of one, or - for standard input.", name);
    }
    throw Error("{}: cannot be read ({}).", name, std::generic_category().message(error));
}

// Returns true if a file begins as .safetensors do, or begins and ends as .npz do.
bool may_be_weights(std::FILE* file) {
    constexpr std::uint64_t longest_header = 100'000'000;  // the longest that safetensors itself reads
    constexpr long zip_end = 22;
    std::array<char, zip_end> bytes{};
    const auto read = [&] {
        return std::string_view(bytes.data(), std::fread(bytes.data(), 1, zip_end, file));
    };
    const std::string_view begin = read();
    const bool is_large = is_safetensors(begin) && little_endian<std::uint64_t>(begin, 0) > 1 &&
                          little_endian<std::uint64_t>(begin, 0) <= longest_header;
    const bool is_zip = begin.starts_with("PK\3\4") && std::fseek(file, -zip_end, SEEK_END) == 0 &&
                        read().starts_with("PK\5\6");
    std::rewind(file);
    return is_large || is_zip;
}

}  // namespace

std::string read_source(const std::string& path) {
    static bool is_standard_input_read = false;
    if (path == "-" && std::exchange(is_standard_input_read, true)) {
        throw Error("standard input can be read only once; give - once.");
    }
    const std::unique_ptr<std::FILE, Close> file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
    if (file == nullptr) {
        fail(path, errno);
    }
    note_as_read(path);
    const std::uint64_t expected = file_size(path);
    const std::uint64_t most = is_character_device(path)                                   ? max_device_bytes
                               : expected > max_source_bytes && may_be_weights(file.get()) ? max_weights_bytes
                                                                                           : max_source_bytes;
    constexpr std::size_t piece = std::size_t{1} << 18U;
    std::string text;
    std::size_t size = 0;
    do {
        if (std::max<std::uint64_t>(expected, size) > most) {
            throw Error("{}: larger than {} bytes, the limit.", printable(source_name(path)), most);
        }
        text.reserve(std::size_t(expected) + piece);
        text.resize(size + piece);
        size += std::fread(text.data() + size, 1, piece, file.get());
        if (std::ferror(file.get()) != 0) {
            fail(path, errno);
        }
    } while (std::feof(file.get()) == 0);
    if (size == 0) {
        throw Error("{}: the file is empty.", printable(source_name(path)));
    }
    text.resize(size);
    return text;
}

bool was_read(const std::string& path) {
    return kind_of(path) == FileKind::file &&
           std::ranges::any_of(paths_read(), [&](const auto& one) { return leads_to_one_file(one, path); });
}

std::string source_name(const std::string& path) {
    return path == "-" ? "standard input" : path.empty() ? "\"\"" : path;
}

std::optional<std::string> read_line() {
    static const bool is_noted = (note_as_read("-"), true);
    static_cast<void>(is_noted);
    std::string line;
    int letter = std::getchar();
    if (letter == EOF && std::ferror(stdin) == 0) {
        return std::nullopt;
    }
    for (; letter != EOF && letter != '\n'; letter = std::getchar()) {
        line += char(letter);
        if (line.size() > max_device_bytes) {
            throw Error("{}: a line is longer than {} bytes, the limit.", source_name("-"), max_device_bytes);
        }
    }
    if (std::ferror(stdin) != 0) {
        fail("-", errno);
    }
    return line.substr(0, line.find_last_not_of('\r') + 1);
}

}  // namespace attn
