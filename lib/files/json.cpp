// nlohmann/json reports each value as it is read. Duplicate keys, which it would drop, depth and the number
// of values are checked here, before they cost memory.
#include "files/json.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "files/located.hpp"
#include "files/utf8_text.hpp"
#include "text/ascii.hpp"

namespace attn {

namespace {

constexpr std::string_view white_space = " \t\r\n";

bool is_of_word(char c) {
    return is_lower(c) || is_upper(c) || is_digit(c) || c == '.' || c == '+' || c == '-';
}

// The number or word around a place in the text.
std::string_view word_around(std::string_view text, std::size_t offset) {
    std::size_t begin = offset;
    while (begin > 0 && is_of_word(text[begin - 1])) {
        --begin;
    }
    std::size_t end = offset;
    while (end < text.size() && is_of_word(text[end])) {
        ++end;
    }
    return text.substr(begin, end - begin);
}

bool is_not_finite(std::string_view word) {
    constexpr std::array<std::string_view, 6> words{"NaN", "nan", "Infinity", "inf", "Inf", "NAN"};
    return std::ranges::find(words, word.substr(word.starts_with('-') ? 1 : 0)) != words.end();
}

// The likely cause, judged by the character at the error; a sentence or nothing.
Message hint(std::string_view text, std::size_t offset, std::string_view problem) {
    const char at = offset < text.size() ? text[offset] : '\0';
    const std::size_t last = text.substr(0, offset).find_last_not_of(white_space);
    if ((at == ']' || at == '}') && last != std::string_view::npos && text[last] == ',') {
        return " JSON has no comma after the last element.";
    }
    if (at == '/' || at == '#') {
        return " JSON has no comments.";
    }
    if (!problem.starts_with("invalid literal") && !problem.starts_with("invalid number")) {
        return "";
    }
    if (at == '\'') {
        return " JSON strings stand in double quotes.";
    }
    return is_lower(at) || is_upper(at) ? " The only words outside quotes are true, false and null." : "";
}

// "[json.exception.parse_error.101] parse error at line 1, column 7: syntax error while parsing array -
// unexpected number literal; expected ',' or ']'" without what our own messages say in another place.
std::string_view problem_of(std::string_view message) {
    const auto drop_before = [&](std::string_view mark) {
        const std::size_t found = message.find(mark);
        message.remove_prefix(found == std::string_view::npos ? 0 : found + mark.size());
    };
    drop_before("] ");
    drop_before(" - ");
    for (const std::string_view of_last : {"; last read: ", ": '"}) {
        if (const std::size_t found = message.find(of_last); found != std::string_view::npos && found > 0) {
            if (of_last != ": '" || message.starts_with("number overflow")) {
                message = message.substr(0, found);
            }
        }
    }
    return message;
}

// As patterns with arguments, by which it can be translated.
Message worded(std::string_view problem) {
    const auto between = [&](std::string_view begin, std::string_view end) {
        const std::size_t from = begin.size();
        const std::size_t to = problem.starts_with(begin) ? problem.find(end, from) : std::string_view::npos;
        return to == std::string_view::npos ? std::nullopt
                                            : std::optional(std::pair(problem.substr(from, to - from),
                                                                      problem.substr(to + end.size())));
    };
    if (const auto parts = between("unexpected ", "; expected ")) {
        // It does not say that a comma may be what is missing.
        const std::string comma = parts->second == "']'" || parts->second == "'}'" ? "',' or " : "";
        return Message("unexpected {}; expected {}", Message(parts->first),
                       Message(comma + std::string(parts->second)));
    }
    if (const auto parts = between("invalid number; expected ", "")) {
        return Message("invalid number; expected {}", Message(parts->second));
    }
    if (const auto parts = between("invalid string: control character ", " must be escaped to ")) {
        return Message("invalid string: control character {} must be escaped to {}", parts->first,
                       parts->second);
    }
    return Message(problem);
}

class TreeBuilder final : public nlohmann::json_sax<Json> {
public:
    TreeBuilder(std::string_view text, std::string_view origin) : text_(text), origin_(origin) {}

    Json root = Json::value_t::discarded;  // until there is a value

    bool null() override { return add(nullptr); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(std::int64_t value) override { return add_number(value); }
    bool number_unsigned(std::uint64_t value) override { return add_number(value); }
    bool number_float(double value, const std::string&) override { return add_number(value); }
    bool string(std::string& value) override { return add(std::move(value)); }
    bool binary(Json::binary_t&) override { return false; }  // is in no text
    bool start_object(std::size_t) override { return open(Json::object()); }
    bool start_array(std::size_t) override { return open(Json::array()); }

    bool key(std::string& name) override {
        // To the end, since ordered_json's own ways compare the name with all before it.
        open_.back()->get_ref<Json::object_t&>().emplace_back(std::move(name), nullptr);
        return true;
    }
    bool end_object() override {
        std::vector<std::string_view> keys;
        for (const auto& [key, value] : open_.back()->get_ref<const Json::object_t&>()) {
            keys.push_back(key);
        }
        std::ranges::sort(keys);
        if (const auto twice = std::ranges::adjacent_find(keys); twice != keys.end()) {
            fail_at_pointer(origin_, place(*twice), "this key stands twice in its object; keep one.");
        }
        return close();
    }
    bool end_array() override { return close(); }

    bool parse_error(std::size_t position, const std::string& last_token,
                     const nlohmann::json::exception& error) override {
        const std::string_view problem = problem_of(error.what());
        std::size_t offset = std::min(std::max<std::size_t>(position, 1) - 1, text_.size());
        if (problem.starts_with("unexpected end of input") || text_.empty()) {
            fail(text_.find_last_not_of(white_space) + 1, problem);
        }
        if (problem.starts_with("number overflow")) {
            fail_at(text_, static_cast<std::size_t>(word_around(text_, offset).data() - text_.data()),
                    origin_, "a number beyond double, ±1.7976931348623157e308.");
        }
        const bool is_complete = open_.empty() && !root.is_discarded();
        if (problem.starts_with("unexpected ")) {  // the token ends here
            const std::string_view word = word_around(text_, offset);
            offset = text_[offset] == '"' ? position - last_token.size()
                     : !word.empty()      ? static_cast<std::size_t>(word.data() - text_.data())
                                          : offset;
        }
        if (is_complete) {
            fail_at(text_, offset, origin_,
                    Message("unexpected text after the end of the JSON value.{}", hint(text_, offset, "")));
        }
        fail(offset, problem);
    }

private:
    Json& put(Json&& value) {
        if (open_.empty()) {
            return root = std::move(value);
        }
        if (open_.back()->is_array()) {
            return open_.back()->get_ref<Json::array_t&>().emplace_back(std::move(value));
        }
        return open_.back()->get_ref<Json::object_t&>().back().second = std::move(value);
    }
    bool add_number(Json value) {
        put(std::move(value));
        return true;
    }
    bool add(Json value) {
        count_value();
        return add_number(std::move(value));
    }
    bool open(Json container) {
        if (open_.size() == max_json_depth) {
            fail_at_pointer(origin_, next_place(), Message("nested more than {} deep.", max_json_depth));
        }
        count_value();
        open_.push_back(&put(std::move(container)));
        return true;
    }
    bool close() {
        open_.pop_back();
        return true;
    }

    void count_value() {
        if (++values_ > max_json_values) {
            fail_at_pointer(origin_, next_place(),
                            Message("more than {} values (numbers not counted), the most that is read.",
                                    max_json_values));
        }
    }

    // The JSON pointer of an element or member of the innermost container.
    std::string place(std::string_view last) const {
        std::string pointer;
        for (std::size_t i = 0; i + 1 < open_.size(); ++i) {
            pointer = json_pointer(
                pointer, open_[i]->is_array() ? std::to_string(open_[i]->size() - 1) : last_key(*open_[i]));
        }
        return open_.empty() ? "" : json_pointer(pointer, last);
    }
    std::string next_place() const {
        return open_.empty()              ? ""
               : open_.back()->is_array() ? place(std::to_string(open_.back()->size()))
                                          : place(last_key(*open_.back()));
    }
    static const std::string& last_key(const Json& object) {
        return object.get_ref<const Json::object_t&>().back().first;
    }

    [[noreturn]] void fail(std::size_t offset, std::string_view problem) const {
        const std::string_view word = word_around(text_, offset);
        if (is_not_finite(word)) {
            fail_at(text_, static_cast<std::size_t>(word.data() - text_.data()), origin_,
                    Message("{} is no JSON number; expected a finite one.", word));
        }
        fail_at(text_, offset, origin_, Message("{}.{}", worded(problem), hint(text_, offset, problem)));
    }

    std::string_view text_;
    std::string_view origin_;
    std::vector<Json*> open_;
    std::size_t values_ = 0;
};

}  // namespace

JsonView parse_json(std::string_view text, std::string_view origin) {
    text = utf8_text(text, origin);
    TreeBuilder builder(text, origin);
    Json::sax_parse(text.begin(), text.end(), &builder);
    return {std::make_shared<const Json>(std::move(builder.root)), origin};
}

}  // namespace attn
