#include "dataflow/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace attn::flow {

Value Value::of(double number, std::optional<std::size_t> node) {
    return {.kind = Kind::number, .number = number, .node = node};
}
Value Value::of(std::string text) {
    constexpr std::size_t longest = 100'000;  // texts double quickly
    return text.size() > longest ? Value{} : Value{.kind = Kind::text, .text = std::move(text)};
}
Value Value::of(std::vector<Value> items) {
    return {.kind = Kind::list, .items = std::move(items)};
}
Value Value::dictionary(std::vector<Value> items) {
    return {.kind = Kind::dictionary, .items = std::move(items)};
}
Value Value::truth(bool value) {
    return {.kind = Kind::truth, .number = value ? 1.0 : 0.0};
}

bool Value::equals(const Value& other) const {
    return kind == other.kind && text == other.text && number == other.number;
}

Value* Value::item(const Value& index) {
    if (is(Kind::dictionary)) {
        for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
            if (items[i].equals(index)) {
                return &items[i + 1];
            }
        }
        return nullptr;
    }
    const auto size = static_cast<double>(items.size());
    const double i = index.number < 0 ? index.number + size : index.number;
    return index.is(Kind::number) && i >= 0 && i < size ? &items[static_cast<std::size_t>(i)] : nullptr;
}

Value& Value::item_or_new(const Value& index) {
    if (Value* const found = item(index)) {
        return *found;
    }
    if (is(Kind::dictionary)) {
        items.push_back(index);
    }
    return items.emplace_back();
}

Value Value::listed(std::string_view method) const {
    std::vector<Value> all;
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        all.push_back(method == "items"    ? of({items[i], items[i + 1]})
                      : method == "values" ? items[i + 1]
                                           : items[i]);
    }
    return of(std::move(all));
}

std::optional<std::string> Value::written() const {
    const bool is_integer = is(Kind::number) && number == std::trunc(number);
    return is(Kind::text) ? std::optional(text)
           : is_integer   ? std::optional(fmt::format("{:.0f}", number))
                          : std::nullopt;
}

void Value::collect_origins(std::vector<std::size_t>& nodes) const {
    if (const auto own = origin()) {
        nodes.push_back(*own);
    }
    for (const Value& item : items) {
        item.collect_origins(nodes);
    }
}

std::size_t Value::size() const {
    std::size_t count = 1;
    for (const Value& item : items) {
        count += item.size();
    }
    return count;
}

Value Object::contents() const {
    const auto found = attributes.find("");
    return found == attributes.end() ? Value{} : found->second;
}

void Object::put(const Value& index, const Value& part) {
    attributes[""].item_or_new(index) = part;
    if (const std::optional<std::string> name = index.written(); name && !name->empty()) {
        attributes[*name] = part;
    }
}

std::vector<Value> Object::children() const {
    std::vector<Value> all;
    for (const auto& [name, value] : attributes) {
        if (value.is(Value::Kind::object)) {
            all.push_back(value);
        }
    }
    std::ranges::sort(all, {}, [](const Value& child) { return child.object->module; });
    return all;
}

}  // namespace attn::flow
