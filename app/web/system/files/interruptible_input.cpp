// A module of WebAssembly gets no signal, and its input is there from the start.
#include "files/interruptible_input.hpp"

#include <cstdio>

namespace attn {

InterruptibleInput::InterruptibleInput() = default;

InterruptibleInput::~InterruptibleInput() = default;

bool InterruptibleInput::is_terminal() const {
    return false;
}

bool InterruptibleInput::is_interrupted() const {
    return false;
}

bool InterruptibleInput::read(std::string& buffer) {
    char bytes[4096];
    const std::size_t count = std::fread(bytes, 1, sizeof bytes, stdin);
    buffer.append(bytes, count);
    return count > 0;
}

}  // namespace attn
