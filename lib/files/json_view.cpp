// The checks of JsonView, and the wording of what was expected and what was found.
#include "files/json_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "text/printable.hpp"
#include "text/suggest.hpp"

namespace attn {

Message found(const Json& json) {
    switch (json.value.index()) {
        case 0:
            return "null";
        case 1:
            return std::get<bool>(json.value) ? "true" : "false";
        case 2:
            return Message("the number {}", std::get<double>(json.value));
        case 3:
            return Message("the string {}", in_quotes(std::get<std::string>(json.value)));
        case 6:
            return "an object";
        default:
            return "an array";
    }
}

template <class T>
const T& JsonView::require(const Message& what) const {
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
    if (const Tensor* const tensor = get<Tensor>(); tensor != nullptr && axis_ == tensor->rank()) {
        return static_cast<double>(tensor->values()[offset_]);
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
        expected(Message("a whole number from {} to {}", least, most));
    }
    return static_cast<std::int64_t>(*value);
}

void JsonView::allow_keys(std::initializer_list<std::string_view> keys) const {
    for (const JsonMember& member : object()) {
        if (std::find(keys.begin(), keys.end(), member.key) == keys.end()) {
            fail(Message("unknown key {}.{}", in_quotes(member.key),
                         did_you_mean(member.key, std::span(keys.begin(), keys.size()))));
        }
    }
}

std::optional<JsonView> JsonView::find(std::string_view key) const {
    const auto member = std::ranges::find(object(), key, &JsonMember::key);
    return member == object().end() ? std::nullopt : std::optional((*this)[*member]);
}

JsonView JsonView::operator[](const JsonMember& member) const {
    return {member.value, 0, 0, origin_, json_pointer(pointer_, member.key)};
}

JsonView JsonView::at(std::string_view key) const {
    std::optional<JsonView> member = find(key);
    if (!member) {
        fail(Message("the key {} is missing.", in_quotes(key)));
    }
    return *member;
}

bool JsonView::is_array() const {
    const auto* tensor = get<Tensor>();
    return tensor != nullptr ? axis_ < tensor->rank() : get<Json::Array>() != nullptr;
}

std::size_t JsonView::size() const {
    if (!is_array()) {
        expected("an array");
    }
    const auto* tensor = get<Tensor>();
    return tensor != nullptr ? tensor->shape()[axis_] : get<Json::Array>()->size();
}

JsonView JsonView::operator[](std::size_t index) const {
    if (index >= size()) {
        throw std::out_of_range("no such element of a JSON array");
    }
    std::string pointer = json_pointer(pointer_, std::to_string(index));
    if (const auto* tensor = get<Tensor>()) {
        std::size_t stride = 1;
        for (std::size_t axis = axis_ + 1; axis < tensor->rank(); ++axis) {
            stride *= tensor->shape()[axis];
        }
        return {*value_, axis_ + 1, offset_ + index * stride, origin_, std::move(pointer)};
    }
    return {(*get<Json::Array>())[index], 0, 0, origin_, std::move(pointer)};
}

Tensor JsonView::tensor(bool booleans) const {
    if (const auto* tensor = get<Tensor>()) {
        require_finite();
        return *tensor;
    }
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
        fail(Message("expected length {}, as the first row has, but found length {}.", sizes[0], size()));
    }
    for (std::size_t i = 0; i < size(); ++i) {
        const JsonView element = (*this)[i];
        if (sizes.size() > 1) {
            element.collect(sizes.subspan(1), booleans, numbers);
            continue;
        }
        const bool* const truth = booleans ? element.get<bool>() : nullptr;
        numbers.push_back(static_cast<float>(truth == nullptr ? element.number() : *truth ? 1.0 : 0.0));
        if (!std::isfinite(numbers.back())) {
            element.fail(beyond_float32);
        }
    }
}

void JsonView::require_finite() const {
    const auto* tensor = get<Tensor>();
    const auto beyond = std::ranges::find_if_not(tensor->values(), [](float x) { return std::isfinite(x); });
    if (beyond != tensor->values().end()) {
        const Index index = tensor->index(static_cast<std::size_t>(beyond - tensor->values().begin()));
        JsonView number = *this;
        for (std::size_t axis = 0; axis < tensor->rank(); ++axis) {
            number = number[index[axis]];
        }
        number.fail(beyond_float32);
    }
}

void JsonView::expected(const Message& what) const {
    const std::optional<double> number = if_number();
    fail(Message("expected {} but found {}.", what, found(number ? Json{*number} : *value_)));
}

void JsonView::fail(const Message& problem) const {
    fail_at_pointer(origin_, pointer_, problem);
}

}  // namespace attn
