// Lines from standard input while they are typed, or from a pipe; and the interruption of Ctrl-C as an end of
// them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace attn {

inline constexpr std::size_t max_line_bytes = 4096;

// One at a time: it takes SIGINT over until it is destroyed. A process that was started with SIGINT ignored
// goes on ignoring it.
class LineReader {
public:
    LineReader();
    ~LineReader();
    LineReader(const LineReader&) = delete;
    LineReader& operator=(const LineReader&) = delete;

    // The next line without its end; of one longer than max_line_bytes the beginning. Nothing at the end of
    // the input (Ctrl-D) and after Ctrl-C. Throws Error when it cannot be read.
    std::optional<std::string> next();

    // Whether lines come from a terminal, which shows them as they are typed.
    bool is_terminal() const;
    bool is_interrupted() const;

private:
    bool fill();

    std::string buffer_;
    std::size_t at_ = 0;
};

}  // namespace attn
