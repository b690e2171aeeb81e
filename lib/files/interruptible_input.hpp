// Standard input while it is typed, or from a pipe, and the interruption of Ctrl-C as an end of it.
#pragma once

#include <string>

namespace attn {

// One at a time: it takes SIGINT over until it is destroyed. A process that was started with SIGINT ignored
// goes on ignoring it.
class InterruptibleInput {
public:
    InterruptibleInput();
    ~InterruptibleInput();
    InterruptibleInput(const InterruptibleInput&) = delete;
    InterruptibleInput& operator=(const InterruptibleInput&) = delete;

    // Waits for bytes and appends them; false at the end of the input (Ctrl-D) and after Ctrl-C. Throws Error
    // when it cannot be read.
    bool read(std::string& buffer);

    // Whether it is a terminal, which shows what is typed.
    bool is_terminal() const;
    bool is_interrupted() const;
};

}  // namespace attn
