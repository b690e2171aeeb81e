// Standard input by the C library: Ctrl-C ends the program, as it does elsewhere.
#include "files/interruptible_input.hpp"

#include <unistd.h>

#include <cstdio>

namespace attn {

InterruptibleInput::InterruptibleInput() = default;

InterruptibleInput::~InterruptibleInput() = default;

bool InterruptibleInput::is_terminal() const {
    return ::isatty(STDIN_FILENO) != 0;
}

bool InterruptibleInput::is_interrupted() const {
    return false;
}

bool InterruptibleInput::read(std::string& buffer) {
    const std::size_t before = buffer.size();
    for (int c = std::getc(stdin); c != EOF; c = std::getc(stdin)) {
        buffer += static_cast<char>(c);
        if (c == '\n') {
            break;
        }
    }
    return buffer.size() > before;
}

}  // namespace attn
