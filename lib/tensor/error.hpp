// The one exception the library throws for what a caller or a reader of data got wrong.
#pragma once

#include <stdexcept>
#include <string_view>
#include <utility>

#include "../text/message.hpp"

namespace attn {

// One clear message: what is wrong, where, and what to do. what() is the English wording; message() can be
// worded in other languages. Settings stand in backticks, by their name in the library: `num_heads`.
class Error : public std::runtime_error {
public:
    explicit Error(Message message) : std::runtime_error(message.english()), message_(std::move(message)) {}

    // `Error("{}: there is no step {}.", file, name)`, as Message takes them.
    template <typename... Argument>
    explicit Error(std::string_view pattern, const Argument&... arguments)
        : Error(Message(pattern, arguments...)) {}

    const Message& message() const { return message_; }

private:
    Message message_;
};

}  // namespace attn
