// Layout and escaping of JSON, and the texts of its numbers.
#include "files/json_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "tensor/digits.hpp"
#include "text/printable.hpp"
#include "text/utf8.hpp"

namespace attn {

namespace {

std::string escape(char32_t code_point) {
    switch (code_point) {
        case '"':
            return "\\\"";
        case '\\':
            return "\\\\";
        case '\b':
            return "\\b";
        case '\f':
            return "\\f";
        case '\n':
            return "\\n";
        case '\r':
            return "\\r";
        case '\t':
            return "\\t";
        default:
            break;
    }
    if (code_point < 0x10000) {
        return fmt::format("\\u{:04x}", static_cast<unsigned>(code_point));
    }
    const auto beyond = static_cast<unsigned>(code_point) - 0x10000U;  // RFC 8259, 7: as a pair of surrogates
    return fmt::format("\\u{:04x}\\u{:04x}", 0xD800U + (beyond >> 10U), 0xDC00U + (beyond & 0x3FFU));
}

// At `to`, where there is room for `most_digits`; answers where it ends.
char* write_number(float value, char* to) {
    if (std::isfinite(value)) {
        return write_shortest_digits(value, to);
    }
    const std::string_view name = std::isnan(value) ? "\"NaN\""
                                  : value < 0       ? "\"-Infinity\""
                                                    : "\"Infinity\"";
    return std::ranges::copy(name, to).out;
}

std::string literal(std::string_view text) {
    std::string quoted = "\"";
    for (std::size_t i = 0; i < text.size();) {
        const CodePoint at = decode_utf8(text, i);
        if (!at.valid) {
            quoted += "\uFFFD";
        } else if (at.value == '"' || at.value == '\\' || is_deceptive(at.value)) {
            quoted += escape(at.value);
        } else {
            quoted += text.substr(i, at.length);
        }
        i += at.length;
    }
    return quoted + '"';
}

}  // namespace

std::string json_number(float value) {
    std::array<char, most_digits> text{};
    return {text.data(), write_number(value, text.data())};
}

void JsonWriter::begin(char open, char close, Layout layout) {
    separate();
    const bool inside_line = !levels_.empty() && levels_.back().layout == Layout::line;
    levels_.push_back({close, inside_line ? Layout::line : layout, true});
    write_({&open, 1});
}

void JsonWriter::end() {
    const Level level = levels_.back();
    levels_.pop_back();
    if (!level.empty && level.layout == Layout::block) {
        break_line();
    }
    write_({&level.close, 1});
    if (levels_.empty()) {
        write_("\n");
    }
}

void JsonWriter::key(std::string_view name) {
    scalar(literal(name));
    write_(": ");
    after_key_ = true;
}

void JsonWriter::string(std::string_view text) {
    scalar(literal(text));
}

void JsonWriter::number(float value) {
    scalar(json_number(value));
}

void JsonWriter::number(double value) {
    const auto single = static_cast<float>(value);
    if (!std::isfinite(value) || static_cast<double>(single) == value) {
        number(single);
    } else {
        scalar(shortest_digits(value));
    }
}

void JsonWriter::tensor(const Tensor& tensor) {
    rows(tensor.shape(), 0, tensor.values());
}

void JsonWriter::rows(const Shape& shape, std::size_t axis, std::span<const float> values) {
    if (axis == shape.rank()) {
        number(values[0]);
        return;
    }
    if (axis + 1 == shape.rank()) {
        row(values);
        return;
    }
    begin_array();
    for (std::size_t i = 0; i < shape[axis]; ++i) {
        const std::size_t count = values.size() / shape[axis];
        rows(shape, axis + 1, values.subspan(i * count, count));
    }
    end();
}

// A line of numbers, put together here: level by level and number by number it takes three times as long.
void JsonWriter::row(std::span<const float> values) {
    constexpr std::size_t piece = std::size_t{1} << 14U;
    constexpr std::size_t most = most_digits + 2;  // with the comma, or the bracket, before it
    separate();
    std::string text(std::min(piece, values.size() * most) + most, '\0');
    char* end = text.data();
    *end++ = '[';
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i > 0) {
            *end++ = ',';
            *end++ = ' ';
        }
        end = write_number(values[i], end);
        if (end > text.data() + piece) {
            write_({text.data(), end});
            end = text.data();
        }
    }
    *end++ = ']';
    if (levels_.empty()) {
        *end++ = '\n';
    }
    write_({text.data(), end});
}

void JsonWriter::scalar(std::string_view text) {
    separate();
    write_(text);
}

void JsonWriter::separate() {
    if (after_key_ || levels_.empty()) {
        after_key_ = false;
        return;
    }
    Level& level = levels_.back();
    if (!level.empty) {
        write_(level.layout == Layout::line ? ", " : ",");
    }
    level.empty = false;
    if (level.layout == Layout::block) {
        break_line();
    }
}

void JsonWriter::break_line() {
    write_("\n" + std::string(2 * levels_.size(), ' '));
}

}  // namespace attn
