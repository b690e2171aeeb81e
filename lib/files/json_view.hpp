// A place in a JSON document. Readers ask for a type; for a value of a different type, an error names the
// file and the JSON pointer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/json_value.hpp"
#include "tensor/tensor.hpp"
#include "text/message.hpp"

namespace attn {

// Shares ownership of the document; the text of `origin` must outlive the view. The member functions throw
// Error if the value has another type than they return.
class JsonView {
public:
    JsonView(std::shared_ptr<const Json> value, std::string_view origin, std::string pointer = "")
        : value_(std::move(value)), origin_(origin), pointer_(std::move(pointer)) {}

    // "null", "boolean", "number", "string", "array" or "object".
    std::string_view kind() const;
    const std::string& pointer() const { return pointer_; }

    bool boolean() const;
    double number() const;
    // Returns a whole number within [least, most]; both limits must lie within ±2^53.
    std::int64_t integer(std::int64_t least, std::int64_t most) const;
    const std::string& string() const;
    // Returns any value as JSON text.
    std::string text() const;
    const Json& value() const { return *value_; }

    // Throws Error for a key that is not in the list, and suggests the nearest one. Call it before reading
    // members; otherwise a misspelt key is reported as missing.
    void allow_keys(std::initializer_list<std::string_view> keys) const;
    // Both return a member of an object. If it is missing, the first throws Error, and the second returns
    // nothing.
    JsonView at(std::string_view key) const;
    std::optional<JsonView> find(std::string_view key) const;
    std::vector<std::pair<std::string_view, JsonView>> members() const;

    // The functions below are for arrays.
    std::size_t size() const;
    JsonView operator[](std::size_t index) const;
    std::vector<JsonView> elements() const;
    std::vector<std::string> strings() const;
    std::vector<std::uint64_t> whole_numbers() const;  // an array of whole numbers from 0 to 2^53

    // A tensor of rank 1 to 4: nested arrays of finite numbers. Arrays at the same depth must have the same
    // length. Empty arrays are not allowed. With `booleans`, true and false count as 1 and 0.
    Tensor tensor(bool booleans = false) const;

    // Throws Error with file, pointer and the problem that the caller found.
    [[noreturn]] void fail(const Message& problem) const;

private:
    template <typename Type>
    const Type& as(const Message& what) const;
    JsonView child(const Json& value, std::string_view key) const;
    void collect(std::span<const std::size_t> sizes, bool booleans, std::vector<float>& numbers) const;
    [[noreturn]] void expected(const Message& what) const;

    std::shared_ptr<const Json> value_;
    std::string_view origin_;
    std::string pointer_;
};

}  // namespace attn
