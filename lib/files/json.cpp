// nlohmann/json reports each value while reading. The handler here builds our values, checks the depth, and
// rejects duplicate keys, which nlohmann/json would drop.
#include "files/json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "files/located.hpp"
#include "files/utf8_text.hpp"
#include "tensor/error.hpp"
#include "text/ascii.hpp"
#include "text/lists.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

constexpr std::string_view white_space = " \t\r\n";

class TreeBuilder final : public nlohmann::json_sax<nlohmann::json> {
public:
    TreeBuilder(std::string_view text, std::string_view origin) : text_(text), origin_(origin) {}

    Json root;

    bool null() override { return add(Json()); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(std::int64_t value) override { return add(value); }
    bool number_unsigned(std::uint64_t value) override { return add(value); }
    bool number_float(double value, const std::string&) override { return add(value); }
    bool string(std::string& value) override {
        count(block_size + value.size());
        return add(std::move(value));
    }
    // nlohmann/json does not call this for JSON text.
    bool binary(nlohmann::json::binary_t&) override { return false; }
    bool start_object(std::size_t) override { return open(Json::object()); }
    bool start_array(std::size_t) override { return open(Json::array()); }

    bool key(std::string& name) override {
        count(block_size + name.size());
        members().push_back({std::move(name), Json()});
        awaits_value_ = true;
        return true;
    }
    bool end_object() override {
        std::set<std::string_view> names;
        for (const auto& [name, value] : members()) {
            if (!names.insert(name).second) {
                throw DuplicateKey(Message("{}: duplicate key {} in one object; keep one.",
                                           printable(origin_), in_quotes(name)));
            }
        }
        return end_array();
    }
    bool end_array() override {
        open_.pop_back();
        return true;
    }

    bool parse_error(std::size_t position, const std::string&,
                     const nlohmann::json::exception& error) override {
        constexpr int number_overflow = 406;  // nlohmann/json's number of this exception
        const bool is_at_end = position > text_.size();
        const std::size_t last = is_at_end ? text_.size() : std::max<std::size_t>(position, 1) - 1;
        // The wrong token ends here. Its beginning is shown, but of a string the wrong character.
        const std::size_t begin = begin_of_token(last);
        const std::string_view token = text_.substr(begin, last + 1 - begin);
        const std::size_t place = is_at_end                ? text_.find_last_not_of(white_space) + 1
                                  : token.starts_with('"') ? last
                                                           : begin;
        fail_at(text_, place, origin_,
                Message("invalid JSON. {}",
                        error.id == number_overflow
                            ? Message("This number is outside the range of double, ±1.7976931348623157e308.")
                        : is_at_end && (token.empty() || nlohmann::json::accept(token))
                            ? Message("The text ends before all brackets are closed.")
                            : cause(begin, token)));
    }

private:
    // Returns the position of the quote if `at` is within a string, of the first letter if it is within a
    // word or number, and otherwise `at`.
    std::size_t begin_of_token(std::size_t at) const {
        std::size_t begin = text_.size();  // of the string, if one is open
        for (std::size_t i = 0; i < at; ++i) {
            if (text_[i] == '"') {
                begin = begin == text_.size() ? i : text_.size();
            }
            i += begin < text_.size() && text_[i] == '\\' ? 1 : 0;
        }
        if (begin < text_.size()) {
            return begin;
        }
        const auto is_of_word = [&](std::size_t i) {
            const char c = text_[i];
            return is_word_character(c) || c == '.' || c == '+' || c == '-';
        };
        begin = at;
        if (at == text_.size() || is_of_word(at)) {
            for (; begin > 0 && is_of_word(begin - 1); --begin) {
            }
        }
        return begin;
    }

    // Returns why a token cannot be there, or is none.
    Message cause(std::size_t begin, std::string_view token) const {
        const auto is_one_of = [](char c, std::string_view some) { return c != '\0' && contains(some, c); };
        const std::size_t last = text_.substr(0, begin).find_last_not_of(white_space);
        const char previous = last == std::string_view::npos ? '\0' : text_[last];
        const char first = token.empty() ? '\0' : token.front();
        const bool is_in_object = !open_.empty() && open_.back()->get<Json::Object>() != nullptr;
        if (is_one_of(first, "/#")) {
            return "JSON allows no comments.";
        }
        if (open_.empty() && memory_ > 0) {
            return "Unexpected text after the end of the value.";
        }
        if (!is_one_of(first, "[]{},:") && !nlohmann::json::accept(token)) {
            return first == '"'    ? "The string is not closed, or has a character that must be escaped."
                   : first == '\'' ? "JSON strings need double quotes."
                   : is_digit(first) || first == '-'
                       ? "Expected a finite number such as 0.5, -1 or 1e-3."
                       : "Outside quotes, JSON allows only true, false, null and finite numbers.";
        }
        return is_one_of(first, "]}") && previous == ',' ? "JSON allows no comma after the last element."
               : awaits_value_ && previous != ':'        ? "A colon is missing."
               : is_in_object && !awaits_value_ && is_one_of(previous, "{,")
                   ? "A key in double quotes is missing."
               : previous == '\0' || is_one_of(previous, "[,:") ? "A value is missing."
                                                                : "A comma or a closing bracket is missing.";
    }
    Json::Object& members() { return *open_.back()->get<Json::Object>(); }
    // Rejects text such as [[],[],…, because its values would take far more memory than the text.
    void count(std::size_t bytes) {
        memory_ += bytes;
        if (memory_ > max_json_memory) {
            throw Error("{}: too many values: they need more than {} bytes of memory, the limit.",
                        printable(origin_), max_json_memory);
        }
    }
    Json& put(Json&& value) {
        count(sizeof value);
        if (open_.empty()) {
            return root = std::move(value);
        }
        awaits_value_ = false;
        if (auto* const elements = open_.back()->get<Json::Array>()) {
            return elements->emplace_back(std::move(value));
        }
        return members().back().value = std::move(value);
    }
    bool add(Json value) {
        put(std::move(value));
        return true;
    }
    bool open(Json container) {
        if (open_.size() == max_json_depth) {
            throw Error("{}: nested more than {} deep.", printable(origin_), max_json_depth);
        }
        count(block_size);
        open_.push_back(&put(std::move(container)));
        return true;
    }

    // Bytes that a string, array or object takes with its allocation.
    static constexpr std::size_t block_size = 48;

    std::string_view text_;
    std::string_view origin_;
    std::vector<Json*> open_;
    bool awaits_value_ = false;  // true: an object's key was read last
    std::size_t memory_ = 0;
};

}  // namespace

JsonView parse_json(std::string_view text, std::string_view origin) {
    text = utf8_text(text, origin);
    TreeBuilder builder(text, origin);
    nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
    return {std::make_shared<const Json>(std::move(builder.root)), origin};
}

}  // namespace attn
