#include "files/line_reader.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "tensor/error.hpp"

namespace attn {

std::optional<std::string> read_line() {
    std::string line;
    int c = std::getc(stdin);
    const bool is_end = c == EOF;
    for (; c != EOF && c != '\n'; c = std::getc(stdin)) {
        if (line.size() < max_line_bytes) {
            line += static_cast<char>(c);
        }
    }
    if (std::ferror(stdin) != 0) {
        throw Error("standard input: cannot be read ({}).", std::generic_category().message(errno));
    }
    if (line.ends_with('\r')) {
        line.pop_back();
    }
    return is_end ? std::nullopt : std::optional(line);
}

}  // namespace attn
