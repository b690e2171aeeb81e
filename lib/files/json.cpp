// Recursive descent, as deep as texts may nest. Tensors are tried first wherever an array begins, since
// nearly all bytes of large files are theirs.
#include "files/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "files/located.hpp"
#include "files/utf8_text.hpp"
#include "tensor/error.hpp"
#include "text/ascii.hpp"
#include "text/decimal.hpp"
#include "text/printable.hpp"
#include "text/utf8.hpp"

namespace attn {

namespace {

constexpr std::string_view white_space = " \t\r\n";

// What stands behind a backslash, and the character it stands for.
constexpr std::string_view escapes = "\"\\/bfnrtu";
constexpr std::string_view escaped = "\"\\/\b\f\n\r\t";

bool is_letter(char c) {
    return is_lower(c) || is_upper(c);
}

// The word that a place in the text is in; empty when it is in none.
std::string_view word_around(std::string_view text, std::size_t offset) {
    std::size_t begin = offset;
    while (begin > 0 && is_letter(text[begin - 1])) {
        --begin;
    }
    std::size_t end = offset;
    while (end < text.size() && is_letter(text[end])) {
        ++end;
    }
    return text.substr(begin, end - begin);
}

bool is_not_finite(std::string_view word) {
    constexpr std::array<std::string_view, 6> words{"NaN", "nan", "Infinity", "inf", "Inf", "NAN"};
    return std::ranges::find(words, word) != words.end();
}

class Parser {
public:
    Parser(std::string_view text, std::string_view origin, JsonNumbers numbers)
        : text_(text), origin_(origin), numbers_(numbers) {}

    Json document() {
        if (skip_space(); at_ == text_.size()) {
            fail_at(text_, 0, origin_, "expected JSON but there is none.");
        }
        Json root = value();
        if (skip_space(); at_ < text_.size()) {
            fail_at(text_, at_, origin_,
                    Message("unexpected text after the end of the JSON value.{}", hint("", at_)));
        }
        return root;
    }

private:
    // A container that is open: where in it the next value stands.
    struct Level {
        std::string key;
        std::size_t index = 0;
        bool is_array = true;
    };

    Json value() {
        skip_space();
        switch (peek()) {
            case '{':
                return {object()};
            case '[':
                return array();
            case '"':
                count_value();
                return {string()};
            case 't':
                return literal("true", true);
            case 'f':
                return literal("false", false);
            case 'n':
                return literal("null", nullptr);
            default:
                break;
        }
        if (!begins_number(peek())) {
            fail_unexpected("'[', '{', or a literal");
        }
        count_value();
        const double number = this->number();
        const bool in_array = !open_.empty() && open_.back().is_array;
        return {in_array && numbers_ == JsonNumbers::packed ? static_cast<double>(static_cast<float>(number))
                                                            : number};
    }

    Json::Object object() {
        open({.key = {}, .is_array = false});
        Json::Object members;
        if (skip_space(); !take('}')) {
            do {
                if (skip_space(); peek() != '"') {
                    fail_unexpected("string literal");
                }
                std::string key = string();
                if (skip_space(); !take(':')) {
                    fail_unexpected("':'");
                }
                open_.back().key = key;
                members.push_back({std::move(key), value()});
                skip_space();
            } while (take(','));
            if (!take('}')) {
                fail_unexpected("',' or '}'");
            }
        }
        refuse_duplicates(members);
        open_.pop_back();
        return members;
    }

    Json array() {
        if (std::optional<Tensor> packed = tensor()) {
            count_value();
            return {std::move(*packed)};
        }
        open({});
        Json::Array elements;
        if (skip_space(); !take(']')) {
            do {
                elements.push_back(value());
                ++open_.back().index;
                skip_space();
            } while (take(','));
            if (!take(']')) {
                fail_unexpected("',' or ']'");
            }
        }
        open_.pop_back();
        return {std::move(elements)};
    }

    // The nested arrays of numbers that begin here, when they are as regular as a tensor's. Otherwise
    // nothing, and nothing is read.
    std::optional<Tensor> tensor() {
        if (numbers_ == JsonNumbers::exact) {
            return std::nullopt;
        }
        if (packed_.capacity() == 0) {
            // No number without a comma before or behind it. Room that is not used takes no memory.
            const auto commas =
                std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_), text_.end(), ',');
            packed_.reserve(static_cast<std::size_t>(commas) + 1);
        }
        packed_.clear();
        const std::size_t begin = at_;
        Rows rows;
        if (!read_rows(rows, 0)) {
            at_ = begin;
            return std::nullopt;
        }
        const Shape shape(std::span(rows.sizes).first(rows.rank));
        // What takes most of the room takes all of it: a copy would double what a large lesson takes.
        return packed_.size() > packed_.capacity() / 2 ? Tensor(shape, std::exchange(packed_, {}))
                                                       : Tensor(shape, std::vector<float>(packed_));
    }

    // The sizes of a tensor as far as they are known, innermost first.
    struct Rows {
        std::array<std::size_t, Shape::max_rank> sizes{};
        std::size_t rank = 0;
    };

    bool read_rows(Rows& rows, std::size_t axis) {
        if (axis == Shape::max_rank || axis + open_.size() == max_json_depth || !take('[')) {
            return false;
        }
        std::size_t size = 0;
        do {
            skip_space();
            if (begins_number(peek()) && (rows.rank == 0 || rows.rank == axis + 1)) {
                rows.rank = axis + 1;
                packed_.push_back(static_cast<float>(number()));
            } else if (rows.rank == axis + 1 || !read_rows(rows, axis + 1)) {
                return false;
            }
            ++size;
            skip_space();
        } while (take(','));
        if (rows.sizes[axis] == 0) {
            rows.sizes[axis] = size;
        }
        return size == rows.sizes[axis] && take(']');
    }

    template <class Value>
    Json literal(std::string_view word, Value value) {
        count_value();
        read_literal(word);
        return {value};
    }

    void read_literal(std::string_view word) {
        for (const char c : word) {
            if (!take(c)) {
                fail(at_, "invalid literal");
            }
        }
    }

    static bool begins_number(char c) { return is_digit(c) || c == '-'; }

    double number() {
        const std::size_t begin = at_;
        const auto digits = [&](std::string_view expected) {
            if (!is_digit(peek())) {
                fail(at_, Message("invalid number; expected {}", Message(expected)));
            }
            while (is_digit(peek())) {
                ++at_;
            }
        };
        take('-');
        if (!take('0')) {
            digits("digit after '-'");
        }
        const std::size_t whole = at_;
        if (take('.')) {
            digits("digit after '.'");
        }
        if (take('e') || take('E')) {
            const bool is_signed = take('+') || take('-');
            digits(is_signed ? "digit after exponent sign" : "'+', '-', or digit after exponent");
        }
        double number = 0.0;
        read_double(text_.substr(begin, at_ - begin), number);
        if (std::isinf(number)) {
            fail_at(text_, begin, origin_, "a number beyond double, ±1.7976931348623157e308.");
        }
        return number == 0.0 && whole == at_ ? 0.0 : number;  // -0 is whole to Python, and has no sign
    }

    std::string string() {
        std::string text;
        for (++at_;; ++at_) {
            const std::size_t begin = at_;
            while (at_ < text_.size() && peek() != '"' && peek() != '\\' && !is_control(peek())) {
                ++at_;
            }
            text += text_.substr(begin, at_ - begin);
            if (take('"')) {
                return text;
            }
            if (at_ == text_.size()) {
                fail(at_, "invalid string: missing closing quote");
            }
            if (is_control(peek())) {
                fail_control_character();
            }
            ++at_;
            const std::size_t kind = at_ == text_.size() ? std::string_view::npos : escapes.find(peek());
            if (kind == std::string_view::npos) {
                fail(at_, "invalid string: forbidden character after backslash");
            } else if (kind < escaped.size()) {
                text += escaped[kind];
            } else {
                append_utf8(code_point(), text);
            }
        }
    }

    static bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20; }

    [[noreturn]] void fail_control_character() const {
        constexpr std::string_view names =
            "NULSOHSTXETXEOTENQACKBELBS HT LF VT FF CR SO SI DLEDC1DC2DC3DC4NAKSYNETBCANEM SUBESCFS GS RS "
            "US ";
        const auto code = static_cast<unsigned>(peek());
        const std::string_view name = names.substr(std::size_t{3} * code, 3);
        const std::size_t kind = escaped.find(peek());
        fail(at_,
             Message(
                 "invalid string: control character U+{} ({}) must be escaped to \\u{}{}",
                 fmt::format("{:04X}", code), name.substr(0, name.find(' ')), fmt::format("{:04X}", code),
                 kind == std::string_view::npos ? Message() : Message(" or \\{}", escapes.substr(kind, 1))));
    }

    // What stands behind `\u`, on its last digit afterwards; two of them where the first is half of a pair.
    char32_t code_point() {
        const char32_t first = hexadecimal();
        if (first >= 0xDC00 && first <= 0xDFFF) {
            fail(at_, "invalid string: surrogate U+DC00..U+DFFF must follow U+D800..U+DBFF");
        }
        if (first < 0xD800 || first > 0xDBFF) {
            return first;
        }
        constexpr std::string_view unpaired =
            "invalid string: surrogate U+D800..U+DBFF must be followed by U+DC00..U+DFFF";
        for (const char c : {'\\', 'u'}) {
            if (++at_; peek() != c) {
                fail(at_, unpaired);
            }
        }
        const char32_t second = hexadecimal();
        if (second < 0xDC00 || second > 0xDFFF) {
            fail(at_, unpaired);
        }
        return 0x10000U + ((first - 0xD800U) << 10U | (second - 0xDC00U));
    }

    char32_t hexadecimal() {
        constexpr std::string_view digits = "0123456789abcdefABCDEF";
        char32_t value = 0;
        for (int i = 0; i < 4; ++i) {
            ++at_;
            const std::size_t digit = digits.find(peek());
            if (at_ == text_.size() || digit == std::string_view::npos) {
                fail(at_, "invalid string: '\\u' must be followed by 4 hex digits");
            }
            value = value << 4U | static_cast<char32_t>(digit < 16 ? digit : digit - 6);
        }
        return value;
    }

    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }  // which stands nowhere in the text

    bool take(char c) {
        const bool found = peek() == c;
        at_ += found ? 1 : 0;
        return found;
    }

    void skip_space() {
        while (at_ < text_.size() && white_space.find(text_[at_]) != std::string_view::npos) {
            ++at_;
        }
    }

    void open(Level level) {
        if (open_.size() == max_json_depth) {
            fail_here(Message("nested more than {} deep.", max_json_depth));
        }
        count_value();
        ++at_;
        open_.push_back(std::move(level));
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
            fail_here("this key stands twice in its object; keep one.");
        }
    }

    void count_value() {
        if (++values_ > max_json_values) {
            fail_here(Message(
                "more than {} values (numbers in arrays of numbers not counted), the most that is read.",
                max_json_values));
        }
    }

    [[noreturn]] void fail_here(const Message& problem) const {
        std::string pointer;
        for (const Level& level : open_) {
            pointer = json_pointer(pointer, level.is_array ? std::to_string(level.index) : level.key);
        }
        fail_at_pointer(origin_, pointer, problem);
    }

    // A value or sign that is right in itself, and in the wrong place.
    [[noreturn]] void fail_unexpected(const Message& expected) {
        const std::size_t begin = at_;
        Message found = Message::verbatim(fmt::format("'{}'", peek()));
        if (begin == text_.size()) {
            found = "end of input";
        } else if (peek() == '"') {
            string();
            found = "string literal";
        } else if (begins_number(peek())) {
            number();
            found = "number literal";
        } else if (const std::string_view word = peek() == 't'   ? "true"
                                                 : peek() == 'f' ? "false"
                                                 : peek() == 'n' ? "null"
                                                                 : "";
                   !word.empty()) {
            read_literal(word);
            found = Message("{} literal", word);
        } else if (std::string_view("[]{}:,").find(peek()) == std::string_view::npos) {
            fail(begin, "invalid literal");
        }
        // Of an end, behind the last thing that is there.
        fail(begin == text_.size() ? text_.find_last_not_of(white_space) + 1 : begin,
             Message("unexpected {}; expected {}", found, expected));
    }

    [[noreturn]] void fail(std::size_t offset, const Message& problem) const {
        if (const std::string_view word = word_around(text_, offset); is_not_finite(word)) {
            fail_at(text_, static_cast<std::size_t>(word.data() - text_.data()), origin_,
                    Message("{} is no JSON number; expected a finite one.", word));
        }
        fail_at(text_, offset, origin_, Message("{}.{}", problem, hint(problem, offset)));
    }

    // What the writer most likely did, judged by the character that is wrong; a sentence or nothing.
    Message hint(const Message& problem, std::size_t offset) const {
        const char at = offset < text_.size() ? text_[offset] : '\0';
        const std::size_t last = text_.substr(0, offset).find_last_not_of(white_space);
        if ((at == ']' || at == '}') && last != std::string_view::npos && text_[last] == ',') {
            return " JSON has no comma after the last element.";
        }
        if (at == '/' || at == '#') {
            return " JSON has no comments.";
        }
        if (!problem.pattern().starts_with("invalid literal") &&
            !problem.pattern().starts_with("invalid number")) {
            return "";
        }
        if (at == '\'') {
            return " JSON strings stand in double quotes.";
        }
        return is_letter(at) ? " The only words outside quotes are true, false and null." : "";
    }

    std::string_view text_;
    std::string_view origin_;
    JsonNumbers numbers_;
    std::size_t at_ = 0;
    std::vector<Level> open_;
    std::size_t values_ = 0;
    std::vector<float> packed_;  // the numbers of the tensor being read
};

}  // namespace

const Json* Json::find(std::string_view key) const {
    if (const auto* members = std::get_if<Object>(&value)) {
        const auto member = std::ranges::find(*members, key, &JsonMember::key);
        return member == members->end() ? nullptr : &member->value;
    }
    return nullptr;
}

Json parse_json(std::string_view text, std::string_view origin, JsonNumbers numbers) {
    return Parser(utf8_text(text, origin), origin, numbers).document();
}

std::string json_pointer(std::string_view parent, std::string_view key) {
    std::string pointer(parent);
    pointer += '/';
    for (const char c : key) {
        pointer += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    }
    return pointer;
}

void fail_at_pointer(std::string_view origin, std::string_view pointer, const Message& problem) {
    constexpr std::size_t longest = 200;
    if (pointer.empty()) {
        throw Error("{}: {}", printable(origin), problem);
    }
    throw Error("{}: at {}: {}", printable(origin), printable(pointer, longest), problem);
}

}  // namespace attn
