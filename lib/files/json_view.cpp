// The checks of JsonView, and the wording of what was expected and what was found.
#include "files/json_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text/printable.hpp"
#include "text/suggest.hpp"

namespace attn {

std::string found(const Json& json) {
    switch (json.value.index()) {
        case 0:
            return "null";
        case 1:
            return std::get<bool>(json.value) ? "true" : "false";
        case 2:
            return fmt::format("the number {}", std::get<double>(json.value));
        case 3:
            return "the string " + in_quotes(std::get<std::string>(json.value));
        case 6:
            return "an object";
        default:
            return "an array";
    }
}

template <class T>
const T& JsonView::require(std::string_view what) const {
    const T* value = get<T>();
    if (value == nullptr) {
        expected(what);
    }
    return *value;
}

const std::string& JsonView::string() const {
    return require<std::string>("a string");
}

const Json::Object& JsonView::object() const {
    return require<Json::Object>("an object");
}

std::optional<double> JsonView::if_number() const {
    if (value_ == nullptr) {
        return packed_;
    }
    const double* value = get<double>();
    return value == nullptr ? std::nullopt : std::optional(*value);
}

double JsonView::number() const {
    const std::optional<double> value = if_number();
    if (!value) {
        expected("a number");
    }
    return *value;
}

std::int64_t JsonView::integer(std::int64_t least, std::int64_t most) const {
    const std::optional<double> value = if_number();
    if (!value || std::trunc(*value) != *value || *value < static_cast<double>(least) ||
        *value > static_cast<double>(most)) {
        expected(fmt::format("a whole number from {} to {}", least, most));
    }
    return static_cast<std::int64_t>(*value);
}

void JsonView::allow_keys(std::initializer_list<std::string_view> keys) const {
    for (const JsonMember& member : object()) {
        if (std::find(keys.begin(), keys.end(), member.key) == keys.end()) {
            fail(fmt::format("unknown key {}.{}", in_quotes(member.key),
                             did_you_mean(member.key, std::span(keys.begin(), keys.size()))));
        }
    }
}

std::optional<JsonView> JsonView::find(std::string_view key) const {
    const auto member = std::ranges::find(object(), key, &JsonMember::key);
    return member == object().end() ? std::nullopt : std::optional((*this)[*member]);
}

JsonView JsonView::operator[](const JsonMember& member) const {
    return {&member.value, 0.0, origin_, json_pointer(pointer_, member.key)};
}

JsonView JsonView::at(std::string_view key) const {
    std::optional<JsonView> member = find(key);
    if (!member) {
        fail(fmt::format("the key {} is missing.", in_quotes(key)));
    }
    return *member;
}

bool JsonView::is_array() const {
    return get<Json::Numbers>() != nullptr || get<Json::Array>() != nullptr;
}

std::size_t JsonView::size() const {
    const auto* numbers = get<Json::Numbers>();
    return numbers != nullptr ? numbers->size() : require<Json::Array>("an array").size();
}

JsonView JsonView::operator[](std::size_t index) const {
    const std::string pointer = json_pointer(pointer_, std::to_string(index));
    if (const auto* numbers = get<Json::Numbers>()) {
        return {nullptr, static_cast<double>(numbers->at(index)), origin_, pointer};
    }
    return {&require<Json::Array>("an array").at(index), 0.0, origin_, pointer};
}

Tensor JsonView::tensor(bool booleans) const {
    // The first element of each depth gives the shape; collect() holds all others against it.
    std::vector<std::size_t> sizes;
    for (JsonView first = *this; sizes.empty() || first.is_array(); first = first[0]) {
        if (first.size() == 0) {
            first.fail("expected at least one number but found an empty array.");
        }
        if (sizes.size() == Shape::max_rank) {
            first.fail("arrays nested too deep; a tensor has at most 4 dimensions.");
        }
        sizes.push_back(first.size());
    }
    std::vector<float> numbers;
    collect(sizes, booleans, numbers);
    return {Shape(sizes), std::move(numbers)};
}

void JsonView::collect(std::span<const std::size_t> sizes, bool booleans, std::vector<float>& numbers) const {
    if (size() != sizes[0]) {
        fail(fmt::format("expected length {}, as the first row has, but found length {}.", sizes[0], size()));
    }
    const auto* packed = get<Json::Numbers>();
    for (std::size_t i = 0; i < size(); ++i) {
        if (sizes.size() > 1) {
            (*this)[i].collect(sizes.subspan(1), booleans, numbers);
            continue;
        }
        const bool* const truth = packed == nullptr && booleans ? (*this)[i].get<bool>() : nullptr;
        numbers.push_back(packed != nullptr  ? (*packed)[i]
                          : truth != nullptr ? static_cast<float>(*truth)
                                             : static_cast<float>((*this)[i].number()));
        if (!std::isfinite(numbers.back())) {
            fail_at_number({i});
        }
    }
}

void JsonView::expected(std::string_view what) const {
    fail(fmt::format("expected {} but found {}.", what, found(value_ == nullptr ? Json{packed_} : *value_)));
}

void JsonView::fail_at_number(std::initializer_list<std::size_t> indices) const {
    std::string pointer = pointer_;
    for (const std::size_t index : indices) {
        pointer = json_pointer(pointer, std::to_string(index));
    }
    fail_at_pointer(origin_, pointer, beyond_float32);
}

void JsonView::fail(std::string_view problem) const {
    fail_at_pointer(origin_, pointer_, problem);
}

}  // namespace attn
