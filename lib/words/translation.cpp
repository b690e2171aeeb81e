#include "words/translation.hpp"

#include "words/words.hpp"

namespace attn {

std::string translated(std::string_view english, std::string_view language) {
    return worded(Message(english), language);
}

std::string worded(const Message& message, std::string_view language) {
    const Words words(language, "translations");
    return message.worded([&](std::string_view pattern) {
        const std::string* const found = words.find(pattern);
        return found == nullptr ? std::string(pattern) : *found;
    });
}

}  // namespace attn
