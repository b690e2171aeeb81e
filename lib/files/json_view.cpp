// The checks of JsonView. Their messages say what was expected and what was found.
#include "files/json_view.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "files/located.hpp"
#include "text/printable.hpp"
#include "text/suggest.hpp"

namespace attn {

namespace {

Message found(const Json& json) {
    constexpr std::size_t longest = 40;
    return json.is_array()    ? "an array"
           : json.is_object() ? "an object"
                              : Message::verbatim(printable(json.dump(), longest));
}

}  // namespace

std::string_view JsonView::kind() const {
    return value_->type_name();
}

bool JsonView::boolean() const {
    if (!value_->is_boolean()) {
        expected("true or false");
    }
    return value_->get<bool>();
}

double JsonView::number() const {
    if (!value_->is_number()) {
        expected("a number");
    }
    return value_->get<double>();
}

std::int64_t JsonView::integer(std::int64_t least, std::int64_t most) const {
    const double value = value_->is_number() ? number() : std::numeric_limits<double>::quiet_NaN();
    // This comparison also rejects NaN, because all comparisons with NaN are false.
    if (!(value >= static_cast<double>(least) && value <= static_cast<double>(most)) ||
        std::trunc(value) != value) {
        expected(Message("a whole number from {} to {}", least, most));
    }
    return static_cast<std::int64_t>(value);
}

const std::string& JsonView::string() const {
    if (!value_->is_string()) {
        expected("a string");
    }
    return value_->get_ref<const std::string&>();
}

std::string JsonView::text() const {
    return json_text(*value_, JsonLayout::compact);
}

std::vector<std::pair<std::string_view, JsonView>> JsonView::members() const {
    if (!value_->is_object()) {
        expected("an object");
    }
    std::vector<std::pair<std::string_view, JsonView>> members;
    for (const auto& [key, value] : value_->get_ref<const Json::object_t&>()) {
        members.emplace_back(key, child(value, key));
    }
    return members;
}

std::optional<JsonView> JsonView::find(std::string_view key) const {
    for (const auto& [name, value] : members()) {
        if (name == key) {
            return value;
        }
    }
    return std::nullopt;
}

JsonView JsonView::at(std::string_view key) const {
    std::optional<JsonView> member = find(key);
    if (!member) {
        fail(Message("the key {} is missing.", in_quotes(key)));
    }
    return *member;
}

void JsonView::allow_keys(std::initializer_list<std::string_view> keys) const {
    for (const auto& [key, value] : members()) {
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
            fail(Message("unknown key {}.{}", in_quotes(key),
                         did_you_mean(key, std::span(keys.begin(), keys.size()))));
        }
    }
}

std::size_t JsonView::size() const {
    if (!value_->is_array()) {
        expected("an array");
    }
    return value_->size();
}

JsonView JsonView::operator[](std::size_t index) const {
    if (index >= size()) {
        throw std::out_of_range("no such element of a JSON array");
    }
    return child((*value_)[index], std::to_string(index));
}

std::vector<std::string> JsonView::strings() const {
    std::vector<std::string> strings;
    for (std::size_t i = 0; i < size(); ++i) {
        strings.push_back((*this)[i].string());
    }
    return strings;
}

std::vector<std::uint64_t> JsonView::whole_numbers() const {
    std::vector<std::uint64_t> numbers;
    for (std::size_t i = 0; i < size(); ++i) {
        numbers.push_back(static_cast<std::uint64_t>((*this)[i].integer(0, std::int64_t{1} << 53U)));
    }
    return numbers;
}

Tensor JsonView::tensor(bool booleans) const {
    // The first element at each depth sets the shape; collect() compares the others with it.
    std::vector<std::size_t> sizes;
    for (JsonView first = *this; sizes.empty() || first.value_->is_array(); first = first[0]) {
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
        fail(Message("expected length {}, like the first row, but found length {}.", sizes[0], size()));
    }
    for (std::size_t i = 0; i < sizes[0]; ++i) {
        const Json& element = (*value_)[i];
        if (sizes.size() > 1) {
            (*this)[i].collect(sizes.subspan(1), booleans, numbers);
            continue;
        }
        if (!element.is_number() && !(booleans && element.is_boolean())) {
            (*this)[i].expected("a number");
        }
        // A decimal is rounded to double and then to float32, as Python and PyTorch do.
        const double number =
            element.is_boolean() ? static_cast<double>(element.get<bool>()) : element.get<double>();
        numbers.push_back(static_cast<float>(number));
        if (!std::isfinite(numbers.back())) {
            (*this)[i].fail("expected a number within float32's range, ±3.4028235e38.");
        }
    }
}

JsonView JsonView::child(const Json& value, std::string_view key) const {
    return {std::shared_ptr<const Json>(value_, &value), origin_, json_pointer(pointer_, key)};
}

void JsonView::expected(const Message& what) const {
    fail(Message("expected {} but found {}.", what, found(*value_)));
}

void JsonView::fail(const Message& problem) const {
    fail_at_pointer(origin_, pointer_, problem);
}

}  // namespace attn
