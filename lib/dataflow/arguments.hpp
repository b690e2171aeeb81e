// The arguments of a call, by keyword or position, as values, tensors or numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dataflow/value.hpp"
#include "tensor/tensor.hpp"

namespace attn::flow {

using Sizes = std::vector<std::size_t>;  // of axes, and positions in them

// Throws Error: the code is not followed. Nobody sees the message.
[[noreturn]] void not_followed();

// The position of arguments that are given by keyword only.
constexpr std::size_t by_keyword = 1000;

// The integer that a number is. Throws Error for other values, and if it is too large.
std::int64_t integer_of(const Value& value);
int int_of(const Value& value);

struct Arguments {
    std::vector<Value> values;
    std::vector<std::string> keywords;  // empty for positional arguments

    Arguments(std::vector<Value> all = {}, std::vector<std::string> names = {})
        : values(std::move(all)), keywords(std::move(names)) {
        keywords.resize(values.size());
    }
    Arguments(std::initializer_list<Value> all) : Arguments(std::vector<Value>(all)) {}

    void add(Value value, std::string keyword = "") {
        values.push_back(std::move(value));
        keywords.push_back(std::move(keyword));
    }
    std::size_t size() const { return values.size(); }
    const Value& operator[](std::size_t i) const { return values[i]; }
    // The first value, or an unknown one.
    Value first() const { return values.empty() ? Value{} : values[0]; }
    bool begins_with(Value::Kind kind) const { return !values.empty() && values[0].is(kind); }
    const Value* find(std::string_view keyword, std::size_t position) const;
    // True if a keyword argument was not asked for that may change the numbers, such as alpha.
    bool has_unread() const;

private:
    mutable std::set<std::string, std::less<>> read_{};  // the keywords that were asked for
};

// The same with the tensor of each value.
struct Given : Arguments {
    std::function<Tensor(const Value&)> tensor_of;  // throws Error for values other than tensors and numbers

    // Numbers count as tensors without axes. Throws Error for other values.
    Tensor tensor(std::string_view keyword, std::size_t position) const;
    Tensor input() const { return tensor("input", 0); }
    bool has_tensor(std::string_view keyword, std::size_t position) const {  // false for None
        const Value* const found = find(keyword, position);
        return found != nullptr && found->is(Value::Kind::tensor);
    }
    double number(std::string_view keyword, std::size_t position, double otherwise) const;
    std::optional<int> integer(std::string_view keyword, std::size_t position) const;
    bool is_true(std::string_view keyword, std::size_t position, bool otherwise = false) const {
        return number(keyword, position, otherwise ? 1.0 : 0.0) != 0.0;
    }
    std::size_t count(std::string_view keyword, std::size_t position, double otherwise = 0.0) const;
    // The integers of a list, or of all positional arguments from `position` on.
    std::vector<std::int64_t> integers(std::string_view keyword, std::size_t position) const;
    // The tensor of nested lists of numbers. Throws Error if it is ragged.
    Tensor nested(const Value& list) const;
};

}  // namespace attn::flow
