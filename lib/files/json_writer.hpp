// Writes JSON as it comes, for a person to read as well: two spaces per depth, one line per row of numbers.
// Where the text goes is the caller's; that keys and values alternate is, too.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/tensor.hpp"

namespace attn {

class JsonWriter {
public:
    using Write = std::function<void(std::string_view)>;

    // One element per line, or all in one (with everything inside).
    enum class Layout { block, line };

    explicit JsonWriter(Write write) : write_(std::move(write)) {}

    void begin_object(Layout layout = Layout::block) { begin('{', '}', layout); }
    void begin_array(Layout layout = Layout::block) { begin('[', ']', layout); }
    void end();  // of the innermost object or array; the outermost ends its line
    void key(std::string_view name);

    // Escaped as JSON asks, and whatever a terminal might obey as well; ill-formed UTF-8 becomes U+FFFD.
    void string(std::string_view text);
    void boolean(bool value) { scalar(value ? "true" : "false"); }
    void null() { scalar("null"); }
    // A value that is JSON already.
    void verbatim(std::string_view json) { scalar(json); }
    template <std::integral Integer>
    requires(!std::same_as<Integer, bool>) void integer(Integer value) { scalar(std::to_string(value)); }
    // As json_number() writes it.
    void number(float value);
    // The same where it is a float32, otherwise the shortest digits of the double.
    void number(double value);
    // Nested arrays: (…, n, k) becomes … of n lines of k numbers.
    void tensor(const Tensor& tensor);

private:
    struct Level {
        char close;
        Layout layout;
        bool empty;
    };

    void begin(char open, char close, Layout layout);
    void scalar(std::string_view text);
    void separate();  // what stands between the last value and the next
    void break_line();
    void rows(const Shape& shape, std::size_t axis, std::span<const float> values);
    void row(std::span<const float> values);

    Write write_;
    std::vector<Level> levels_;
    bool after_key_ = false;
};

// shortest_digits(), and "NaN", "Infinity" and "-Infinity" in quotes, since JSON has no other way to say
// them.
std::string json_number(float value);

}  // namespace attn
