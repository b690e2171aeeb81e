// Fills in patterns with fmt.
#include "text/message.hpp"

#include <fmt/args.h>
#include <fmt/format.h>

namespace attn {

std::string Message::worded(const PatternFor& pattern_for) const {
    const std::string pattern = is_verbatim_ ? pattern_ : pattern_for(pattern_);
    if (arguments_.empty()) {
        return pattern;
    }
    fmt::dynamic_format_arg_store<fmt::format_context> arguments;
    for (const Message& argument : arguments_) {
        arguments.push_back(argument.worded(pattern_for));
    }
    return fmt::vformat(pattern, arguments);
}

std::string Message::english() const {
    return worded([](std::string_view pattern) { return std::string(pattern); });
}

}  // namespace attn
