// The closed list of tensor functions that are followed, by their names in PyTorch and NumPy: a row of a
// table has all that is known about a function.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "dataflow/arguments.hpp"
#include "tensor/tensor.hpp"

namespace attn::flow {

// The kinds of functions: `plain` ones reduce or combine numbers without being a step of attention
// by themselves, `test` gives zeros and ones, `move` changes nothing but their places.
enum class Role { step, plain, test, move, product, constant, draw };

struct Function {
    std::string_view name;
    Role role;
    std::vector<std::string_view> also;             // names of functions that do the same, and its operator
    std::function<Tensor(const Given&)> compute{};  // throws Error if the arguments do not fit
};

// Finds a function by any of its names, also with the _ of functions in place. Returns null for others.
const Function* find_function(std::string_view name);

// The role of an operation of Computed; `step` for those without a row.
Role role_of(std::string_view operation);

// ---- the tables, and what they share --------------------------------------------------------------------

std::vector<Function> elementwise_functions();
std::vector<Function> reductions();
std::vector<Function> moves();
std::vector<Function> constants();
std::vector<Function> products();

// Applies a function to the first two arguments.
inline auto both(Tensor (*function)(const Tensor&, const Tensor&)) {
    return [function](const Given& given) { return function(given.input(), given.tensor("other", 1)); };
}

// The shape that tensors of both shapes are expanded to. Throws Error if they do not fit.
Shape joint_shape(const Shape& a, const Shape& b);

// Moves the axes to the given order.
Tensor with_axes(const Tensor& x, const Sizes& axes);

// The shape of these sizes, of which one may be -1; `count` is the count of numbers then.
Shape sized(const std::vector<std::int64_t>& sizes, std::size_t count);

}  // namespace attn::flow
