// The library throws this exception if arguments or input data are wrong.
#pragma once

#include <stdexcept>
#include <string_view>
#include <utility>

#include "../text/message.hpp"

namespace attn {

// An error message says what is wrong, where, and what to do. The function what() returns English; message()
// can be translated. Settings have the library's names, in backticks: `num_heads`.
class Error : public std::runtime_error {
public:
    explicit Error(Message message) : std::runtime_error(message.english()), message_(std::move(message)) {}

    // Makes the Message from its pattern and arguments: `Error("{}: there is no step {}.", file, name)`.
    template <typename... Argument>
    explicit Error(std::string_view pattern, const Argument&... arguments)
        : Error(Message(pattern, arguments...)) {}

    // Adds a correction to the message: `throw Error("there is no {}.", typed).correcting(typed, meant);`
    Error correcting(std::string_view wrong, std::string_view right) && {
        message_ = std::move(message_).correcting(wrong, right);
        return std::move(*this);
    }

    const Message& message() const { return message_; }

private:
    Message message_;
};

}  // namespace attn
