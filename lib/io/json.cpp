// Builds the tree from nlohmann/json's events, and adds what that parser leaves out: it stops at a NUL byte
// as if it were the end, keeps the last of duplicate keys, nests without limit and tells no JSON pointers.
#include "io/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "io/located.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"
#include "text/utf8.hpp"

namespace attn {

namespace {

// nlohmann's message is "[…] parse error at line 1, column 5: syntax error while parsing value - unexpected
// ']'; expected …" or "… - invalid literal; last read: '…'". Its middle is good; the place, and the text
// shown, are better told by us.
std::string reason(std::string_view message) {
    if (const std::size_t dash = message.find(" - "); dash != std::string_view::npos) {
        message.remove_prefix(dash + 3);
    }
    std::string words(message.substr(0, message.find("; last read: ")));
    for (const std::string_view closing : {"expected ']'", "expected '}'"}) {
        if (words.ends_with(closing)) {
            words.insert(words.size() - 3, "',' or ");
        }
    }
    return words;
}

// How many of the bytes read last are the trouble: all of a token in the wrong place, one of a malformed one.
// Only for strings and numbers does `token` hold the token and nothing before it.
std::size_t length_read(std::string_view reason, std::string_view token) {
    if (reason.starts_with("unexpected string") || reason.starts_with("unexpected number")) {
        return token.size();
    }
    for (const std::string_view word : {"true", "false", "null"}) {
        if (reason.starts_with("unexpected " + std::string(word))) {
            return word.size();
        }
    }
    return 1;
}

// What the writer most likely did, judged by the character the parser stumbled over; a sentence or nothing.
std::string_view hint(std::string_view reason, std::string_view text, std::size_t offset) {
    const char at = offset < text.size() ? text[offset] : '\0';
    const std::size_t last = text.substr(0, offset).find_last_not_of(" \t\r\n");
    const char before = last == std::string_view::npos ? '\0' : text[last];
    if ((at == ']' || at == '}') && before == ',') {
        return " JSON has no comma after the last element.";
    }
    if (!reason.starts_with("invalid literal") && !reason.starts_with("invalid number")) {
        return "";
    }
    if (at == '\'') {
        return " JSON strings stand in double quotes.";
    }
    if (at == '/' || at == '#') {
        return " JSON has no comments.";
    }
    if ((at >= 'A' && at <= 'Z') || (at >= 'a' && at <= 'z')) {
        return " The only words outside quotes are true, false and null; NaN and Infinity are no JSON "
               "numbers.";
    }
    return "";
}

// The handler of nlohmann's events. The containers still open are a stack, which is also the JSON pointer.
class Builder {
public:
    Builder(std::string_view text, std::string_view origin, JsonNumbers numbers)
        : text_(text), origin_(origin), numbers_(numbers) {}

    Json take() { return std::move(root_); }

    bool null() { return put(nullptr); }
    bool boolean(bool value) { return put(value); }
    bool number_integer(std::int64_t value) { return number(static_cast<double>(value)); }
    bool number_unsigned(std::uint64_t value) { return number(static_cast<double>(value)); }
    bool number_float(double value, const std::string&) { return number(value); }
    bool string(std::string& value) { return put(std::move(value)); }
    bool binary(const std::vector<std::uint8_t>&) { return false; }  // of other formats than JSON

    bool start_object(std::size_t) { return open<Json::Object>(); }
    bool start_array(std::size_t) {
        return numbers_ == JsonNumbers::packed ? open<Json::Numbers>() : open<Json::Array>();
    }
    bool key(std::string& value) {
        open_.back().key = std::move(value);
        return true;
    }
    bool end_object() {
        refuse_duplicates(std::get<Json::Object>(open_.back().container.value));
        return close();
    }
    bool end_array() { return close(); }

    // `position` counts the bytes read, the end of the text included.
    bool parse_error(std::size_t position, const std::string& token, const nlohmann::json::exception& error) {
        constexpr int number_overflow = 406;
        if (error.id == number_overflow) {
            fail_at(text_, position - token.size(), origin_,
                    "a number beyond double, ±1.7976931348623157e308.");
        }
        const std::string words = reason(error.what());
        std::size_t offset = position - length_read(words, token);
        if (words.starts_with("unexpected end of input")) {
            offset = text_.find_last_not_of(" \t\r\n") + 1;  // behind the last thing that is there
        }
        fail_at(text_, offset, origin_, fmt::format("{}.{}", words, hint(words, text_, offset)));
    }

private:
    struct Open {
        Json container;
        std::string key;  // of an object: the member being read
    };

    bool number(double value) {
        if (open_.empty() || numbers_ == JsonNumbers::exact ||
            std::holds_alternative<Json::Object>(open_.back().container.value)) {
            return put(value);
        }
        const auto rounded = static_cast<float>(value);
        if (auto* numbers = std::get_if<Json::Numbers>(&open_.back().container.value)) {
            numbers->push_back(rounded);
            return true;
        }
        return put(static_cast<double>(rounded));
    }

    template <class Value>
    bool put(Value&& value) {
        next().value = std::forward<Value>(value);
        return true;
    }

    // Where the next value belongs.
    Json& next() {
        count(1);
        if (open_.empty()) {
            return root_;
        }
        Json& container = open_.back().container;
        if (auto* object = std::get_if<Json::Object>(&container.value)) {
            object->emplace_back().key = std::move(open_.back().key);
            return object->back().value;
        }
        unpack(container);
        return std::get<Json::Array>(container.value).emplace_back();
    }

    // The first element that is no number turns a packed array into a general one.
    void unpack(Json& container) {
        if (const auto* numbers = std::get_if<Json::Numbers>(&container.value)) {
            count(numbers->size());
            Json::Array elements(numbers->size());
            for (std::size_t i = 0; i < elements.size(); ++i) {
                elements[i].value = static_cast<double>((*numbers)[i]);
            }
            container.value = std::move(elements);
        }
    }

    template <class Container>
    bool open() {
        if (open_.size() == max_json_depth) {
            fail(fmt::format("nested more than {} deep.", max_json_depth));
        }
        open_.emplace_back().container.value.emplace<Container>();
        return true;
    }

    bool close() {
        Json container = std::move(open_.back().container);
        open_.pop_back();
        return put(std::move(container.value));
    }

    void refuse_duplicates(const Json::Object& members) {
        std::vector<std::string_view> keys;
        keys.reserve(members.size());
        for (const JsonMember& member : members) {
            keys.push_back(member.key);
        }
        std::sort(keys.begin(), keys.end());
        const auto twice = std::adjacent_find(keys.begin(), keys.end());
        if (twice != keys.end()) {
            open_.back().key = *twice;
            fail("this key stands twice in its object; keep one.");
        }
    }

    void count(std::size_t more) {
        values_ += more;
        if (values_ > max_json_values) {
            fail(fmt::format(
                "more than {} values (numbers in arrays of numbers not counted), the most that is read.",
                max_json_values));
        }
    }

    [[noreturn]] void fail(std::string_view problem) const {
        std::string pointer;
        for (const Open& level : open_) {
            const Json::Numbers* numbers = std::get_if<Json::Numbers>(&level.container.value);
            const Json::Array* array = std::get_if<Json::Array>(&level.container.value);
            pointer = json_pointer(pointer, numbers != nullptr ? std::to_string(numbers->size())
                                            : array != nullptr ? std::to_string(array->size())
                                                               : level.key);
        }
        fail_at_pointer(origin_, pointer, problem);
    }

    std::string_view text_;
    std::string_view origin_;
    JsonNumbers numbers_;
    Json root_;
    std::vector<Open> open_;
    std::size_t values_ = 0;
};

void refuse_other_encodings(std::string_view text, std::string_view origin) {
    for (const std::string_view mark :
         {std::string_view("\xFF\xFE"), std::string_view("\xFE\xFF"), std::string_view("\0\0\xFE\xFF", 4)}) {
        if (text.starts_with(mark)) {
            throw Error(printable(origin) +
                        ": begins with a UTF-16 or UTF-32 byte order mark; save it as UTF-8.");
        }
    }
    for (std::size_t i = 0; i < text.size();) {
        const CodePoint at = decode_utf8(text, i);
        if (!at.valid) {
            fail_at(text, i, origin, "this byte is no UTF-8; save the file as UTF-8.");
        }
        if (at.value == 0) {
            fail_at(text, i, origin, "a NUL byte; JSON is text, saved as UTF-8, and holds none.");
        }
        i += at.length;
    }
}

}  // namespace

const Json* Json::find(std::string_view key) const {
    if (const auto* members = std::get_if<Object>(&value)) {
        for (const JsonMember& member : *members) {
            if (member.key == key) {
                return &member.value;
            }
        }
    }
    return nullptr;
}

Json parse_json(std::string_view text, std::string_view origin, JsonNumbers numbers) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) {
        text.remove_prefix(byte_order_mark.size());
    }
    refuse_other_encodings(text, origin);
    if (text.find_first_not_of(" \t\n\r") == std::string_view::npos) {
        fail_at(text, 0, origin, "expected JSON but there is none.");
    }
    Builder builder(text, origin, numbers);
    nlohmann::json::sax_parse(text.begin(), text.end(), &builder);  // every failure throws
    return builder.take();
}

std::string json_pointer(std::string_view parent, std::string_view key) {
    std::string pointer(parent);
    pointer += '/';
    for (const char c : key) {
        pointer += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    }
    return pointer;
}

void fail_at_pointer(std::string_view origin, std::string_view pointer, std::string_view problem) {
    constexpr std::size_t longest = 200;
    const std::string place = pointer.empty() ? "" : "at " + printable(pointer, longest) + ": ";
    throw Error(fmt::format("{}: {}{}", printable(origin), place, problem));
}

}  // namespace attn
