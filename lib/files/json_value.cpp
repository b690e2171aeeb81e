#include "files/json_value.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "tensor/digits.hpp"
#include "text/printable.hpp"
#include "text/utf8.hpp"

namespace attn {

namespace {

bool has_deceptive(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const CodePoint at = decode_utf8(text, i);
        if (at.valid && is_deceptive(at.value)) {
            return true;
        }
        i += at.length;
    }
    return false;
}

std::string number_text(double value) {
    const auto single = static_cast<float>(value);
    return std::isnan(value)                      ? "\"NaN\""
           : std::isinf(value)                    ? (value < 0 ? "\"-Infinity\"" : "\"Infinity\"")
           : static_cast<double>(single) == value ? shortest_digits(single)
                                                  : shortest_digits(value);
}

bool is_word(const Json& json) {
    return json.is_string() ? json.get_ref<const std::string&>().find_first_of(" \n") == std::string::npos
                            : json.is_primitive();
}

// Numbers and words take one line together; sentences and lines of code have one each.
bool is_row(const Json& json) {
    return json.is_array() && std::all_of(json.begin(), json.end(), is_word);
}

bool has_rows_only(const Json& object) {
    return std::all_of(object.begin(), object.end(),
                       [](const Json& member) { return is_word(member) || is_row(member); });
}

class Writer {
public:
    Writer(const std::function<void(std::string_view)>& write, JsonLayout layout)
        : write_(write), is_indented_(layout == JsonLayout::indented) {}

    void document(const Json& json) {
        value(json, 1, false);
        text_ += is_indented_ ? "\n" : "";
        write_(text_);
    }

private:
    // `depth` is that of the value's elements.
    void value(const Json& json, std::size_t depth, bool is_element) {
        if (json.is_object()) {
            container('{', '}', json, depth, is_element && has_rows_only(json));
        } else if (json.is_array()) {
            container('[', ']', json, depth, is_row(json));
        } else if (json.is_number_float()) {
            text_ += number_text(json.get<double>());
        } else if (json.is_string()) {
            string(json);
        } else {
            text_ += json.dump();
        }
        constexpr std::size_t piece = std::size_t{1} << 16U;
        if (text_.size() > piece) {
            write_(text_);
            text_.clear();
        }
    }
    void container(char open, char close, const Json& json, std::size_t depth, bool is_on_line) {
        text_ += open;
        for (auto element = json.begin(); element != json.end(); ++element) {
            text_ += element == json.begin() ? "" : is_on_line && is_indented_ ? ", " : ",";
            break_line(depth, is_on_line);
            if (json.is_object()) {
                string(element.key());
                text_ += is_indented_ ? ": " : ":";
            }
            value(*element, depth + 1, json.is_array());
        }
        break_line(depth - 1, is_on_line || json.empty());
        text_ += close;
    }
    void string(const Json& json) {
        text_ += json.dump(-1, ' ', has_deceptive(json.get_ref<const std::string&>()),
                           Json::error_handler_t::replace);
    }
    void break_line(std::size_t depth, bool is_on_line) {
        if (is_indented_ && !is_on_line) {
            text_.append(1, '\n').append(2 * depth, ' ');
        }
    }

    const std::function<void(std::string_view)>& write_;
    bool is_indented_;
    std::string text_;  // not yet written
};

Json nested(std::span<const std::size_t> sizes, std::span<const float> values) {
    if (sizes.empty()) {
        return static_cast<double>(values[0]);
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
    std::string text;
    write_json_text([&](std::string_view part) { text += part; }, value, layout);
    return text;
}

void write_json_text(const std::function<void(std::string_view)>& write, const Json& value,
                     JsonLayout layout) {
    Writer(write, layout).document(value);
}

}  // namespace attn
