// The checks of JsonView. Their messages say what was expected and what was found.
#include "files/json_view.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "files/located.hpp"
#include "text/lists.hpp"
#include "text/printable.hpp"
#include "text/suggest.hpp"

namespace attn {

namespace {

Message found(const Json& json) {
    constexpr std::size_t longest = 40;
    return json.get<Json::Array>() != nullptr ? "an array"
           : json.get<Json::Object>() != nullptr
               ? "an object"
               : Message::verbatim(printable(json_text(json, JsonLayout::compact), longest));
}

std::optional<double> numeral_in(const Json& json) {
    const auto* const real = json.get<double>();
    const auto* const whole = json.get<std::int64_t>();
    const auto* const natural = json.get<std::uint64_t>();
    return real != nullptr      ? std::optional(*real)
           : whole != nullptr   ? std::optional(double(*whole))
           : natural != nullptr ? std::optional(double(*natural))
                                : std::nullopt;
}

}  // namespace

template <typename Type>
const Type& JsonView::as(const Message& what) const {
    const auto* const value = value_->get<Type>();
    if (value == nullptr) {
        expected(what);
    }
    return *value;
}

std::string_view JsonView::kind() const {
    return value_->is_null()                        ? "null"
           : value_->get<bool>() != nullptr         ? "boolean"
           : numeral_in(*value_)                    ? "number"
           : value_->get<std::string>() != nullptr  ? "string"
           : value_->get<Json::Object>() != nullptr ? "object"
                                                    : "array";
}

bool JsonView::boolean() const {
    return as<bool>("true or false");
}

double JsonView::number() const {
    const std::optional<double> number = numeral_in(*value_);
    if (!number) {
        expected("a number");
    }
    return *number;
}

std::int64_t JsonView::integer(std::int64_t least, std::int64_t most) const {
    const double value = numeral_in(*value_).value_or(std::numeric_limits<double>::quiet_NaN());
    // This comparison also rejects NaN, because all comparisons with NaN are false.
    if (!(value >= double(least) && value <= double(most)) || std::trunc(value) != value) {
        expected(Message("a whole number from {} to {}", least, most));
    }
    return std::int64_t(value);
}

const std::string& JsonView::string() const {
    return as<std::string>("a string");
}

std::string JsonView::text() const {
    return json_text(*value_, JsonLayout::compact);
}

std::vector<std::pair<std::string_view, JsonView>> JsonView::members() const {
    std::vector<std::pair<std::string_view, JsonView>> members;
    for (const auto& [key, value] : as<Json::Object>("an object")) {
        members.emplace_back(key, child(value, key));
    }
    return members;
}

std::optional<JsonView> JsonView::find(std::string_view key) const {
    const auto& members = as<Json::Object>("an object");
    const Json::Member* const found = find_in(members, key, &Json::Member::key);
    return found == nullptr ? std::nullopt : std::optional(child(found->value, key));
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
            fail(Message("unknown key {}.{} The known keys: {}.", in_quotes(key),
                         did_you_mean(key, std::span(keys.begin(), keys.size())), joined(keys)));
        }
    }
}

std::size_t JsonView::size() const {
    return as<Json::Array>("an array").size();
}

JsonView JsonView::operator[](std::size_t index) const {
    return child(as<Json::Array>("an array").at(index), std::to_string(index));
}

std::vector<JsonView> JsonView::elements() const {
    std::vector<JsonView> elements;
    for (std::size_t i = 0; i < size(); ++i) {
        elements.push_back((*this)[i]);
    }
    return elements;
}

std::vector<std::string> JsonView::strings() const {
    return mapped(elements(), &JsonView::string);
}

std::vector<std::uint64_t> JsonView::whole_numbers() const {
    return mapped(elements(), [](const JsonView& element) {
        return std::uint64_t(element.integer(0, std::int64_t{1} << 53U));
    });
}

Tensor JsonView::tensor(bool booleans) const {
    // The first element at each depth sets the shape; collect() compares the others with it.
    std::vector<std::size_t> sizes;
    for (JsonView first = *this; sizes.empty() || first.value_->get<Json::Array>() != nullptr;
         first = first[0]) {
        if (first.size() == 0) {
            first.fail("expected at least one number but found an empty array.");
        }
        if (sizes.size() == Shape::max_read_rank) {
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
        if (sizes.size() > 1) {
            (*this)[i].collect(sizes.subspan(1), booleans, numbers);
            continue;
        }
        const Json& element = (*value_->get<Json::Array>())[i];
        const auto* const truth = booleans ? element.get<bool>() : nullptr;
        // A decimal is rounded to double and then to float32, as Python and PyTorch do.
        const double number = truth != nullptr ? double(*truth) : (*this)[i].number();
        numbers.push_back(float(number));
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
