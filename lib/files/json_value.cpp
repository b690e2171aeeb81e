#include "files/json_value.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>

#include "tensor/digits.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

std::string number_text(double value) {
    const auto single = static_cast<float>(value);
    return std::isnan(value)                      ? "\"NaN\""
           : std::isinf(value)                    ? (value < 0 ? "\"-Infinity\"" : "\"Infinity\"")
           : static_cast<double>(single) == value ? shortest_digits(single)
                                                  : shortest_digits(value);
}

bool is_word(const Json& json) {
    return json.is_string() ? json.get_ref<const std::string&>().find_first_of(" \n") == std::string::npos
                            : json.is_primitive() && !json.is_binary();
}

// Several numbers and words share a line; each sentence or line of code gets its own line.
bool is_row(const Json& json) {
    return json.is_binary() || (json.is_array() && std::all_of(json.begin(), json.end(), is_word));
}

bool has_rows_only(const Json& object) {
    return std::all_of(object.begin(), object.end(),
                       [](const Json& member) { return is_word(member) || is_row(member); });
}

// Returns an upper limit for the size of all rows as text. Reserving it at once avoids copying a growing
// text.
std::size_t size_of_rows(const Json& json) {
    constexpr std::size_t most_of_number = 16;
    if (json.is_binary()) {
        return json.get_binary().size() / sizeof(float) * most_of_number;
    }
    std::size_t size = 0;
    for (auto part = json.begin(); json.is_structured() && part != json.end(); ++part) {
        size += size_of_rows(*part);
    }
    return size;
}

class Writer {
public:
    explicit Writer(JsonLayout layout) : is_indented_(layout == JsonLayout::indented) {}

    std::string document(const Json& json) {
        text_.reserve(size_of_rows(json));
        value(json, 1, false);
        return std::move(text_.append(is_indented_ ? 1 : 0, '\n'));
    }

private:
    // `depth` is the nesting depth of the value's elements.
    void value(const Json& json, std::size_t depth, bool is_element) {
        if (json.is_object()) {
            container('{', '}', json, depth, is_element && has_rows_only(json));
        } else if (json.is_array()) {
            container('[', ']', json, depth, is_row(json));
        } else if (json.is_binary()) {
            row(json.get_binary());
        } else if (json.is_number_float()) {
            text_ += number_text(json.get<double>());
        } else {
            primitive(json);
        }
    }
    void container(char open, char close, const Json& json, std::size_t depth, bool is_on_line) {
        text_ += open;
        for (auto element = json.begin(); element != json.end(); ++element) {
            if (element != json.begin()) {
                separate(is_on_line);
            }
            break_line(depth, is_on_line);
            if (json.is_object()) {
                primitive(element.key());
                text_ += is_indented_ ? ": " : ":";
            }
            value(*element, depth + 1, json.is_array());
        }
        break_line(depth - 1, is_on_line || json.empty());
        text_ += close;
    }
    void row(const Json::binary_t& bytes) {
        text_ += '[';
        for (std::size_t at = 0; at < bytes.size(); at += sizeof(float)) {
            if (at > 0) {
                separate(true);
            }
            float number = 0.0F;
            std::memcpy(&number, bytes.data() + at, sizeof number);
            text_ += number_text(static_cast<double>(number));
        }
        text_ += ']';
    }
    void primitive(const Json& json) {
        const auto dump = [&](bool as_ascii) {
            return json.dump(-1, ' ', as_ascii, Json::error_handler_t::replace);
        };
        const std::string text = dump(false);
        text_ += printable(text) == text ? text : dump(true);
    }
    void separate(bool is_on_line) { text_ += is_on_line && is_indented_ ? ", " : ","; }
    void break_line(std::size_t depth, bool is_on_line) {
        if (is_indented_ && !is_on_line) {
            text_.append(1, '\n').append(2 * depth, ' ');
        }
    }

    bool is_indented_;
    std::string text_;
};

// A row becomes nlohmann's binary value, with the bytes of its float32 numbers: a value for each number would
// need four times the memory, and the export twice the time.
Json nested(std::span<const std::size_t> sizes, std::span<const float> values) {
    if (sizes.empty()) {
        return static_cast<double>(values[0]);
    }
    if (sizes.size() == 1) {
        const auto bytes = std::as_bytes(values);
        const auto* const first = reinterpret_cast<const std::uint8_t*>(bytes.data());
        return Json::binary({first, first + bytes.size()});
    }
    Json::array_t elements;
    elements.reserve(sizes[0]);
    for (std::size_t i = 0; i < sizes[0]; ++i) {
        const std::size_t count = values.size() / sizes[0];
        elements.push_back(nested(sizes.subspan(1), values.subspan(i * count, count)));
    }
    return elements;
}

}  // namespace

Json tensor_json(const Tensor& tensor) {
    return nested(std::span(tensor.shape().begin(), tensor.shape().end()), tensor.values());
}

std::string json_text(const Json& value, JsonLayout layout) {
    return Writer(layout).document(value);
}

}  // namespace attn
