// Strings are escaped by nlohmann/json.
#include "files/json_value.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "tensor/digits.hpp"
#include "text/lists.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

std::string number_text(double value) {
    const auto single = float(value);
    return std::isnan(value)         ? "\"NaN\""
           : std::isinf(value)       ? (value < 0 ? "\"-Infinity\"" : "\"Infinity\"")
           : double(single) == value ? shortest_digits(single)
                                     : shortest_digits(value);
}

std::string string_text(const std::string& text) {
    // Plain text has nothing to escape, which saves an eighth of the time of a page.
    const auto is_plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
    if (std::ranges::all_of(text, is_plain)) {
        return '"' + text + '"';
    }
    const nlohmann::json json(text);
    const auto dump = [&](bool as_ascii) {
        return json.dump(-1, ' ', as_ascii, nlohmann::json::error_handler_t::replace);
    };
    const std::string written = dump(false);
    return printable(written) == written ? written : dump(true);
}

bool is_word(const Json& json) {
    if (const auto* const text = json.get<std::string>()) {
        return text->find_first_of(" \n") == std::string::npos;
    }
    return json.get<Json::Array>() == nullptr && json.get<Json::Object>() == nullptr &&
           json.get<Json::Row>() == nullptr;
}

// Several numbers and words share a line; each sentence or line of code gets its own line.
bool is_row(const Json& json) {
    const auto* const elements = json.get<Json::Array>();
    return json.get<Json::Row>() != nullptr ||
           (elements != nullptr && std::ranges::all_of(*elements, is_word));
}

bool has_rows_only(const Json::Object& object) {
    return std::ranges::all_of(
        object, [](const Json::Member& member) { return is_word(member.value) || is_row(member.value); });
}

class JsonWriter {
public:
    JsonWriter(const std::function<void(std::string_view)>& write, JsonLayout layout)
        : write_(write), is_indented_(layout == JsonLayout::indented) {}

    void document(const Json& json) {
        value(json, 1, false);
        write_(text_.append(is_indented_ ? 1 : 0, '\n'));
    }

private:
    // `depth` is the nesting depth of the value's elements.
    void value(const Json& json, std::size_t depth, bool is_element) {
        if (const auto* const members = json.get<Json::Object>()) {
            container("{}", *members, depth, is_element && has_rows_only(*members),
                      [&](const Json::Member& member) {
                          text_ += string_text(member.key) + (is_indented_ ? ": " : ":");
                          value(member.value, depth + 1, false);
                      });
        } else if (const auto* const elements = json.get<Json::Array>()) {
            container("[]", *elements, depth, is_row(json),
                      [&](const Json& element) { value(element, depth + 1, true); });
        } else if (const auto* const row = json.get<Json::Row>()) {
            container("[]", *row, depth, true, [&](float number) { text_ += number_text(double(number)); });
        } else if (const auto* const text = json.get<std::string>()) {
            text_ += string_text(*text);
        } else if (const auto* const number = json.get<double>()) {
            text_ += number_text(*number);
        } else if (const auto* const whole = json.get<std::int64_t>()) {
            text_ += std::to_string(*whole);
        } else if (const auto* const natural = json.get<std::uint64_t>()) {
            text_ += std::to_string(*natural);
        } else if (const auto* const truth = json.get<bool>()) {
            text_ += *truth ? "true" : "false";
        } else {
            text_ += "null";
        }
    }
    void container(std::string_view brackets, const auto& elements, std::size_t depth, bool is_on_line,
                   const auto& write) {
        constexpr std::size_t most_bytes = std::size_t{1} << 16U;  // of a part
        if (text_.size() > most_bytes) {
            write_(text_);
            text_.clear();
        }
        text_ += brackets[0];
        bool is_first = true;
        for (const auto& element : elements) {
            if (!std::exchange(is_first, false)) {
                text_ += is_on_line && is_indented_ ? ", " : ",";
            }
            break_line(depth, is_on_line);
            write(element);
        }
        break_line(depth - 1, is_on_line || elements.empty());
        text_ += brackets[1];
    }
    void break_line(std::size_t depth, bool is_on_line) {
        if (is_indented_ && !is_on_line) {
            text_.append(1, '\n').append(2 * depth, ' ');
        }
    }

    const std::function<void(std::string_view)>& write_;
    bool is_indented_;
    std::string text_;  // the part to write next
};

Json nested(std::span<const std::size_t> sizes, std::span<const float> values) {
    if (sizes.empty()) {
        return values[0];
    }
    if (sizes.size() == 1) {
        return Json::Row(values);
    }
    Json::Array elements;
    elements.reserve(sizes[0]);
    for (std::size_t i = 0; i < sizes[0]; ++i) {
        const std::size_t count = values.size() / sizes[0];
        elements.push_back(nested(sizes.subspan(1), values.subspan(i * count, count)));
    }
    return elements;
}

}  // namespace

Json::Json(std::initializer_list<Item> members) : Json(Object()) {
    for (const Item& item : members) {
        get<Object>()->push_back({std::string(item.key), std::move(item.value)});
    }
}

Json& Json::operator[](std::string_view key) {
    if (is_null()) {
        *this = Object();
    }
    Object& members = *get<Object>();
    Member* const found = find_in(members, key, &Member::key);
    return found != nullptr ? found->value : members.emplace_back(Member{std::string(key), Json()}).value;
}

void Json::push_back(Json element) {
    if (is_null()) {
        *this = Array();
    }
    get<Array>()->push_back(std::move(element));
}

Json tensor_json(const Tensor& tensor) {
    return nested(std::span(tensor.shape().begin(), tensor.shape().end()), tensor.values());
}

std::string json_text(const Json& value, JsonLayout layout) {
    std::string text;
    write_json_text([&](std::string_view part) { text += part; }, value, layout);
    return text;
}

void write_json_text(const std::function<void(std::string_view)>& write, const Json& value,
                     JsonLayout layout) {
    JsonWriter(write, layout).document(value);
}

}  // namespace attn
