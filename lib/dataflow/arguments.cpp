#include "dataflow/arguments.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "tensor/error.hpp"
#include "tensor/layout.hpp"

namespace attn::flow {

namespace {

double in_range(double x, double least, double most) {
    if (!(x >= least && x <= most)) {
        not_followed();
    }
    return x;
}

}  // namespace

void not_followed() {
    throw Error(Message::verbatim("not followed"));
}

std::int64_t integer_of(const Value& value) {
    constexpr double most = 0x1p53;
    return static_cast<std::int64_t>(in_range(value.is_number() ? value.number : std::nan(""), -most, most));
}

int int_of(const Value& value) {
    constexpr double most = 0x7fffffff;
    return static_cast<int>(in_range(value.is_number() ? value.number : std::nan(""), -most, most));
}

const Value* Arguments::find(std::string_view keyword, std::size_t position) const {
    read_.emplace(keyword);
    std::size_t positional = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (keywords[i].empty() ? positional++ == position : keywords[i] == keyword) {
            return &values[i];
        }
    }
    return nullptr;
}

bool Arguments::has_unread() const {
    static const std::set<std::string_view> harmless{"dtype",  "device",        "requires_grad",
                                                     "layout", "memory_format", "non_blocking",
                                                     "copy",   "_stacklevel",   "inplace"};
    return std::ranges::any_of(keywords, [this](const std::string& keyword) {
        return !keyword.empty() && !harmless.contains(keyword) && !read_.contains(keyword);
    });
}

Tensor Given::tensor(std::string_view keyword, std::size_t position) const {
    const Value* const value = find(keyword, position);
    return tensor_of(value == nullptr ? Value{} : *value);
}

double Given::number(std::string_view keyword, std::size_t position, double otherwise) const {
    const Value* const value = find(keyword, position);
    if (value == nullptr || value->is(Value::Kind::none)) {
        return otherwise;
    }
    const Tensor x = tensor_of(*value);
    if (x.count() != 1) {
        not_followed();
    }
    return value->is_number() ? value->number : static_cast<double>(x.values()[0]);
}

std::optional<int> Given::integer(std::string_view keyword, std::size_t position) const {
    const Value* const value = find(keyword, position);
    const bool is_missing = value == nullptr || value->is(Value::Kind::none);
    return is_missing ? std::nullopt : std::optional(int_of(Value::of(number(keyword, position, 0.0))));
}

std::size_t Given::count(std::string_view keyword, std::size_t position, double otherwise) const {
    return static_cast<std::size_t>(in_range(number(keyword, position, otherwise), 0.0, 0x1p53));
}

std::vector<std::int64_t> Given::integers(std::string_view keyword, std::size_t position) const {
    std::vector<std::int64_t> all;
    const Value* const value = find(keyword, position);
    if (value != nullptr && value->is(Value::Kind::list)) {
        for (const Value& item : value->items) {
            all.push_back(integer_of(item));
        }
        return all;
    }
    for (; const Value* const one = find(keyword, position); ++position) {
        all.push_back(integer_of(*one));
        if (one == find(keyword, by_keyword)) {
            break;
        }
    }
    return all;
}

Tensor Given::nested(const Value& list) const {
    if (!list.is(Value::Kind::list)) {
        return tensor_of(list);
    }
    std::vector<Tensor> parts;
    for (const Value& item : list.items) {
        parts.push_back(nested(item));
    }
    return parts.empty() ? Tensor(Shape{0}) : stack(parts);
}

}  // namespace attn::flow
