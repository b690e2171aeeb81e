// Builds the tree from nlohmann/json's events, and adds what that parser leaves out: it stops at a NUL byte
// as if it were the end, keeps the last of duplicate keys, nests without limit and tells no JSON pointers.
#include "files/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "files/json_text.hpp"
#include "files/located.hpp"
#include "files/utf8_text.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

// The handler of nlohmann's events. The containers still open are a stack, which is also the JSON pointer.
class Builder {
public:
    Builder(std::string_view text, std::string_view origin, JsonNumbers numbers, std::string_view matrix)
        : text_(text), origin_(origin), numbers_(numbers), matrix_(matrix) {}

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
        const bool complete = open_.empty() && values_ > 0;
        fail_to_parse(text_, position, token, error.what(), complete, origin_);
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
        unpack_matrix(container);
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
        if (const auto* row = std::get_if<Json::Numbers>(&container.value); row != nullptr && add_row(*row)) {
            count(1);
            return true;
        }
        return put(std::move(container.value));
    }

    // Whether the row is one of the matrix, and now in it.
    bool add_row(const Json::Numbers& row) {
        if (matrix_.empty() || row.empty() || open_.size() != 2 || open_.front().key != matrix_) {
            return false;
        }
        Json& container = open_.back().container;
        const auto* before = std::get_if<Json::Numbers>(&container.value);
        if (before != nullptr && before->empty()) {
            // No number without a comma before or behind it. Room that is not used takes no memory.
            const auto commas = std::count(text_.begin(), text_.end(), ',');
            container.value = JsonMatrix{row.size(), {}};
            std::get<JsonMatrix>(container.value).numbers.reserve(static_cast<std::size_t>(commas) + 1);
        }
        auto* matrix = std::get_if<JsonMatrix>(&container.value);
        if (matrix == nullptr || matrix->width != row.size()) {
            return false;
        }
        matrix->numbers.insert(matrix->numbers.end(), row.begin(), row.end());
        return true;
    }

    // The first element that is no row of the same length turns a matrix into a general array of rows.
    static void unpack_matrix(Json& container) {
        if (const auto* matrix = std::get_if<JsonMatrix>(&container.value)) {
            Json::Array rows;
            for (auto from = matrix->numbers.begin(); from != matrix->numbers.end();) {
                const auto to = from + static_cast<std::ptrdiff_t>(matrix->width);
                rows.emplace_back().value = Json::Numbers(from, to);
                from = to;
            }
            container.value = std::move(rows);
        }
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
            const JsonMatrix* matrix = std::get_if<JsonMatrix>(&level.container.value);
            pointer = json_pointer(pointer, numbers != nullptr ? std::to_string(numbers->size())
                                            : matrix != nullptr
                                                ? std::to_string(matrix->numbers.size() / matrix->width)
                                            : array != nullptr ? std::to_string(array->size())
                                                               : level.key);
        }
        fail_at_pointer(origin_, pointer, problem);
    }

    std::string_view text_;
    std::string_view origin_;
    JsonNumbers numbers_;
    std::string_view matrix_;
    Json root_;
    std::vector<Open> open_;
    std::size_t values_ = 0;
};

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

Json parse_json(std::string_view text, std::string_view origin, JsonNumbers numbers,
                std::string_view matrix) {
    text = utf8_text(text, origin);
    if (text.find_first_not_of(" \t\n\r") == std::string_view::npos) {
        fail_at(text, 0, origin, "expected JSON but there is none.");
    }
    Builder builder(text, origin, numbers, matrix);
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
