// A sentence as an English pattern and its arguments. It is translated when it is shown.
#pragma once

#include <charconv>
#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attn {

// Example: `Message("{}: there is no step {}.", file, name)`. The pattern is a format string of fmt; without
// arguments, it is plain text. Translations are found by the pattern, and may change the order: `{1} {0}`.
// Arguments that are Messages are translated, too; texts and numbers are not.
class Message {
public:
    // A word that is wrong, and the words to write in its place. Without `wrong`, the words are missing;
    // without `right`, the word is too much. An option stands with its value: `--d-out 4`.
    struct Correction {
        std::string wrong;
        std::string right;
    };

    Message() = default;
    Message(const char* pattern)
        : pattern_(pattern) {}  // implicit, so that functions with a Message parameter accept a string

    template <typename... Argument>
    explicit(sizeof...(Argument) > 0) Message(std::string_view pattern, const Argument&... arguments)
        : pattern_(pattern) {
        (arguments_.push_back(part(arguments)), ...);
    }

    // Text that is not translated.
    static Message verbatim(std::string_view text) {
        Message message;
        message.pattern_ = text;
        message.is_verbatim_ = true;
        return message;
    }

    // Adds a correction, which is not part of the text. The best one is added first.
    Message correcting(std::string_view wrong, std::string_view right) && {
        corrections_.push_back({std::string(wrong), std::string(right)});
        return std::move(*this);
    }
    // Returns the corrections of this message, or if it has none, those of the first argument that has some.
    const std::vector<Correction>& corrections() const {
        for (const Message& argument : arguments_) {
            if (corrections_.empty() && !argument.corrections().empty()) {
                return argument.corrections();
            }
        }
        return corrections_;
    }

    bool empty() const { return pattern_.empty(); }
    const std::string& pattern() const { return pattern_; }
    const std::vector<Message>& arguments() const { return arguments_; }

    // Returns the text of the message. `pattern_for` translates the English pattern.
    using PatternFor = std::function<std::string(std::string_view english)>;
    std::string worded(const PatternFor& pattern_for) const;
    std::string english() const;

private:
    static Message part(const Message& message) { return message; }
    template <std::convertible_to<std::string_view> Text>
    static Message part(const Text& text) {
        return verbatim(text);
    }
    static Message part(char character) { return verbatim({&character, 1}); }
    // Uses as few digits as give the same number when read back.
    template <typename Number>
    requires std::integral<Number> || std::floating_point<Number>
    static Message part(Number number) {
        char digits[32]{};
        return verbatim({digits, std::to_chars(digits, digits + sizeof digits, number).ptr});
    }

    std::string pattern_;
    std::vector<Message> arguments_;
    std::vector<Correction> corrections_;
    bool is_verbatim_ = false;
};

}  // namespace attn
