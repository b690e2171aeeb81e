// The words, literals and operators of Python source, in logical lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "documents/python_code.hpp"

namespace attn::python {

struct Token {
    enum class Kind : std::uint8_t { name, number, string, format, sign };

    Kind kind = Kind::sign;
    std::string_view source{};  // as written, with quotes and prefix
    std::string_view text{};    // of a string: the part between the quotes
    std::size_t line = 0;
};

// A statement, or several with semicolons between them. Lines in open brackets belong together.
struct LogicalLine {
    std::size_t begin = 0;  // indices of its first token and of the one after its last
    std::size_t end = 0;
    std::size_t indent = 0;
};

struct Tokens {
    std::vector<Token> tokens{};
    std::vector<LogicalLine> lines{};
    std::vector<Comment> comments{};
};

// `line` is the number of the first line. Magics and shell lines become one token of kind `sign`.
Tokens tokenize(std::string_view source, std::size_t line);

}  // namespace attn::python
