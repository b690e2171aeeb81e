// The closed list of tensor functions that dataflow.hpp follows, by their names in PyTorch and NumPy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/random.hpp"
#include "tensor/tensor.hpp"

namespace attn::flow {

// A variable's tensor. In-place functions replace the node, and all names of the tensor see it.
struct Variable {
    std::size_t node;
};

struct Object;

// A value of Python.
struct Value {
    enum class Kind {
        unknown,
        none,
        number,
        truth,
        text,
        list,
        dictionary,
        tensor,
        object,
        function,
        library
    };

    Kind kind = Kind::unknown;
    double number = 0.0;         // of numbers and truth values
    std::string text{};          // of texts; the dotted name of a library's function
    std::vector<Value> items{};  // of lists and tuples; of dictionaries: key, value, key, value, …; of
                                 // vmap(f) and partial(f): the arguments
    std::vector<std::string> names{};  // the keywords of these arguments
    std::shared_ptr<Variable> tensor{};
    std::shared_ptr<Object> object{};   // a module, or the one that a method belongs to
    std::size_t code = 0;               // of a function or class: its index among the definitions
    std::optional<std::size_t> node{};  // the tensor that a number was taken from

    bool is(Kind one) const { return kind == one; }
    bool is_number() const { return kind == Kind::number || kind == Kind::truth; }

    static Value of(double number, std::optional<std::size_t> node = {});
    static Value of(std::string text);  // unknown if it has more than 100,000 bytes
    static Value of(std::vector<Value> items);
    static Value truth(bool value);
    static Value none() { return {.kind = Kind::none}; }
};

// The arguments of a call, with the tensor for each.
struct Given {
    std::vector<Value> values;
    std::vector<std::string> keywords;  // empty for positional arguments
    std::function<const Tensor&(const Value&)> tensor_of;

    const Value* find(std::string_view keyword, std::size_t position) const;
    // Numbers count as tensors without axes. Throws Error for other values.
    Tensor tensor(std::string_view keyword, std::size_t position) const;
    double number(std::string_view keyword, std::size_t position, double otherwise) const;
    std::optional<int> integer(std::string_view keyword, std::size_t position) const;
    // The integers of a list, or of all positional arguments from `position` on.
    std::vector<std::int64_t> integers(std::string_view keyword, std::size_t position) const;
};

// Throws Error: the code is not followed. Nobody sees the message.
[[noreturn]] void not_followed();

// One name for functions that do the same: "view" for reshape, "mul" for multiply and mul_, "clone" for all
// that leave the numbers as they are.
std::string_view usual_name(std::string_view name);

// Computes a function of this name, or returns nothing if it is not in the list. Throws Error if the
// arguments do not fit.
std::optional<Tensor> compute(std::string_view function, const Given& given);

// Computes an operator or a comparison of Python on tensors that broadcast.
std::optional<Tensor> compute_operator(std::string_view sign, const Tensor& a, const Tensor& b);

// The shape and the positions of the numbers that an index selects, as x[i, :, 1:3].
struct Selected {
    Shape shape;
    std::vector<std::size_t> offsets;
};
struct IndexPart {
    enum class Kind { at, range, rest, new_axis, chosen } kind;
    std::optional<std::int64_t> from{}, to{}, step{};  // `at` uses `from`
    std::vector<std::size_t> chosen{};                 // of a list or mask of whole rows
};
Selected selected(const Shape& shape, const std::vector<IndexPart>& index);

// A tensor of nested lists of numbers. Throws Error if it is ragged.
Tensor nested(const Value& list, const Given& given);

}  // namespace attn::flow
