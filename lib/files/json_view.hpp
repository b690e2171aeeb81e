// A place in a JSON document that knows where it is: readers ask for the type they need, and whatever else
// stands there becomes an error with the file and the JSON pointer.
#pragma once

#include "text/message.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "files/json.hpp"
#include "tensor/tensor.hpp"

namespace attn {

// What stands there instead, for messages: "the number 2.5", "an object".
Message found(const Json& json);

// What is wrong with a number that a float32 cannot hold.
inline constexpr std::string_view beyond_float32 = "expected a number within float32's range, ±3.4028235e38.";

// Refers to the Json and to the origin's text, which must both outlive it. Every function throws Error when
// the value is not what its name says.
class JsonView {
public:
    JsonView(const Json& value, std::string_view origin) : JsonView(value, 0, 0, origin, "") {}

    double number() const;
    // A whole number of [least, most], which lie within ±2^53.
    std::int64_t integer(std::int64_t least, std::int64_t most) const;
    const std::string& string() const;

    // Of an object: throws for a key that is not among these, and suggests the nearest. To be called first,
    // so that a misspelt key is not reported as missing.
    void allow_keys(std::initializer_list<std::string_view> keys) const;
    // A member; throws when it is missing, or returns none.
    JsonView at(std::string_view key) const;
    std::optional<JsonView> find(std::string_view key) const;
    // All members, in order, and the view of one of them.
    const Json::Object& object() const;
    JsonView operator[](const JsonMember& member) const;

    // Of an array: how many elements, and one of them.
    std::size_t size() const;
    JsonView operator[](std::size_t index) const;

    // Nested arrays of finite numbers, all of one length at each depth, none empty: a tensor of rank 1 to 4.
    // With `booleans`, true and false count as 1 and 0.
    Tensor tensor(bool booleans = false) const;
    // The same check of what is a Tensor already.
    void require_finite() const;

    // Throws Error with file, pointer and the problem: for what only the reader can judge.
    [[noreturn]] void fail(const Message& problem) const;

private:
    JsonView(const Json& value, std::size_t axis, std::size_t offset, std::string_view origin,
             std::string pointer)
        : value_(&value), axis_(axis), offset_(offset), origin_(origin), pointer_(std::move(pointer)) {}

    template <class T>
    const T* get() const {
        return std::get_if<T>(&value_->value);
    }
    template <class T>
    const T& require(const Message& what) const;
    std::optional<double> if_number() const;
    bool is_array() const;
    void collect(std::span<const std::size_t> sizes, bool booleans, std::vector<float>& numbers) const;
    [[noreturn]] void expected(const Message& what) const;

    const Json* value_;
    // Of a tensor: its elements from `offset_` on, along this and the later axes.
    std::size_t axis_;
    std::size_t offset_;
    std::string_view origin_;
    std::string pointer_;
};

}  // namespace attn
