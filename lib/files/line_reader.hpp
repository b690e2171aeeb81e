// Lines from standard input while they are typed, or from a pipe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "files/interruptible_input.hpp"

namespace attn {

inline constexpr std::size_t max_line_bytes = 4096;

class LineReader {
public:
    // The next line without its end; of one longer than max_line_bytes the beginning. Nothing at the end of
    // the input (Ctrl-D) and after Ctrl-C. Throws Error when it cannot be read.
    std::optional<std::string> next();

    // Whether lines come from a terminal, which shows them as they are typed.
    bool is_terminal() const { return input_.is_terminal(); }
    bool is_interrupted() const { return input_.is_interrupted(); }

private:
    InterruptibleInput input_;
    std::string buffer_;
    std::size_t at_ = 0;
};

}  // namespace attn
