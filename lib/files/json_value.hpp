// JSON values: built here, written by json_text(), read by parse_json() (files/json.hpp) and JsonView
// (files/json_view.hpp). Only lib/files includes nlohmann/json.
//
//     Json step{{"name", "keys"}, {"shape", x.shape()}, {"grad_fn", nullptr}};  // an object, in this order
//     step["note"] = note;                        // adds a member, or replaces it
//     step["index"] = Json::array({1, 0});        // braces alone always mean an object
//     step["axes"] = axes;                        // every range is an array, an empty std::optional is null
//     step["data"] = tensor_json(x);
//     steps.push_back(std::move(step));
//     write(json_text({{"version", 1}, {"steps", std::move(steps)}}, JsonLayout::indented));
//
//     const JsonView root = parse_json(text, "calls.json");  // throws Error for invalid JSON
//     root.allow_keys({"version", "calls"});
//     for (const JsonView& call : root.at("calls").elements()) {
//         use(call.at("name").string(), call.at("result").tensor());
//     }  // Error: "calls.json: at /calls/3/name: expected a string but found 1.5."
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tensor/tensor.hpp"

namespace attn {

class Json {
public:
    struct Member;
    struct Item;  // a member in braces
    using Array = std::vector<Json>;
    using Object = std::vector<Member>;  // in the order of insertion
    using Row = std::span<const float>;  // an array of a tensor's numbers, which must outlive the value

    Json(std::nullptr_t = nullptr) {}
    template <typename Number>
    requires std::is_arithmetic_v<Number> &&(!std::same_as<Number, char>)Json(Number value)
        : value_(widest(value)) {}
    Json(std::string text) : value_(Box(std::move(text))) {}
    Json(std::string_view text) : Json(std::string(text)) {}
    Json(const char* text) : Json(std::string(text)) {}
    Json(Array elements) : value_(Box(std::move(elements))) {}
    Json(Object members);
    Json(Row numbers) : value_(Box(std::move(numbers))) {}
    Json(std::initializer_list<Item> members);
    template <std::ranges::range Range>
    requires(!std::convertible_to<Range, std::string_view>) Json(const Range& range)
        : Json(Array(std::ranges::begin(range), std::ranges::end(range))) {}
    template <typename Value>
    Json(const std::optional<Value>& value) : Json(value ? Json(*value) : Json()) {}

    static Json array(std::initializer_list<Json> elements = {}) { return Array(elements); }
    static Json object();

    // Returns the value of this type: std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string,
    // Array, Object or Row. Returns null if the value has a different type.
    template <typename Type>
    const Type* get() const {
        if constexpr (std::is_scalar_v<Type>) {
            return std::get_if<Type>(&value_);
        } else {
            const auto* const box = std::get_if<Box<Type>>(&value_);
            return box == nullptr ? nullptr : box->get();
        }
    }
    template <typename Type>
    Type* get() {
        return const_cast<Type*>(std::as_const(*this).get<Type>());
    }
    bool is_null() const { return get<std::nullptr_t>() != nullptr; }

    // Returns the member of this key of an object, and adds it if it is missing. Null becomes an object.
    Json& operator[](std::string_view key);
    // Adds an element to an array. Null becomes an array.
    void push_back(Json element);

private:
    // Stores a value on the heap, so that a Json has only 16 bytes. Copies copy the value.
    template <typename Value>
    class Box {
    public:
        explicit Box(Value value) : value_(std::make_unique<Value>(std::move(value))) {}
        Box(const Box& other) : Box(*other.value_) {}
        Box(Box&&) noexcept = default;
        Box& operator=(Box other) noexcept {
            value_.swap(other.value_);
            return *this;
        }
        ~Box() = default;
        Value* get() const { return value_.get(); }

    private:
        std::unique_ptr<Value> value_;
    };

    template <typename Number>
    static auto widest(Number value) {
        if constexpr (std::same_as<Number, bool>) {
            return value;
        } else if constexpr (std::floating_point<Number>) {
            return double(value);
        } else if constexpr (std::unsigned_integral<Number>) {
            return std::uint64_t{value};
        } else {
            return std::int64_t{value};
        }
    }

    std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, Box<std::string>, Box<Array>,
                 Box<Object>, Box<Row>>
        value_;
};

struct Json::Member {
    std::string key;
    Json value;
};

inline Json::Json(Object members) : value_(Box(std::move(members))) {}
inline Json Json::object() {
    return Object();
}

// The elements of an initializer_list are constant; `mutable` lets the constructor move large values.
struct Json::Item {
    std::string_view key;
    mutable Json value;
};

// Converts a tensor, which must outlive the value, to nested arrays of numbers.
Json tensor_json(const Tensor& tensor);
Json tensor_json(Tensor&&) = delete;

// Writes JSON in two forms: without white space, or indented for people by two spaces per depth. The second
// form writes an array of numbers and words on one line, and so an object of numbers and words within an
// array.
enum class JsonLayout { compact, indented };

// Numbers are written with shortest_digits(), as float32 if the double is a float32. NaN and infinities
// become "NaN", "Infinity" and "-Infinity". In strings, characters that could mislead the reader of a
// terminal are escaped, and ill-formed UTF-8 becomes U+FFFD.
std::string json_text(const Json& value, JsonLayout layout);
// Writes the same text part by part, so that it is never in memory as a whole.
void write_json_text(const std::function<void(std::string_view)>& write, const Json& value,
                     JsonLayout layout);

}  // namespace attn
