#include "diagnosis/mistakes/patterns.hpp"

#include <algorithm>
#include <iterator>

#include "notebook/ops.hpp"
#include "tensor/tensor.hpp"

namespace attn::patterns {

bool is(const Call& call, const Operation& operation) {
    return call.operation == &operation;
}

Var operand(Notebook& notebook, const Call& call, std::size_t position) {
    return {&notebook, call.inputs.at(position)};
}

std::vector<Var> operands(Notebook& notebook, const Call& call) {
    std::vector<Var> all;
    std::ranges::transform(call.inputs, std::back_inserter(all), [&](std::size_t input) {
        return Var{&notebook, input};
    });
    return all;
}

const Call& call_of(Var x) {
    return x.notebook->nodes()[x.id].call;
}

const std::string& name_of(Var x) {
    return x.notebook->nodes()[x.id].name;
}

std::optional<Var> named(Notebook& notebook, std::string_view name) {
    for (std::size_t id = notebook.nodes().size(); id-- > 0;) {
        if (notebook.nodes()[id].name == name) {
            return Var{&notebook, id};
        }
    }
    return std::nullopt;
}

Number number(Notebook& notebook, std::string_view name, double value) {
    const std::optional<Var> node = named(notebook, name);
    if (!node) {
        return literal(value);
    }
    // A number the stage gave a name: no tensor is called as one.
    return named(call_of(*node).value("value"), std::string(name), letter(name), node->id);
}

bool is_matrix_transpose(const Call& call) {
    return is(call, transpose_op) && !call.has("dim0");
}

bool is_lower_triangle(const Call& call) {
    return is(call, tril_op) && !call.has("diagonal");
}

Var original(Var x) {
    while (is(call_of(x), alias_op)) {
        x = operand(*x.notebook, call_of(x), 0);
    }
    return x;
}

namespace {

// Follows first operands through these operations to one of another kind.
template <std::size_t count>
Var through(Var x, const Operation* const (&operations)[count]) {
    for (x = original(x); std::ranges::find(operations, call_of(x).operation) != std::end(operations);
         x = original(x)) {
        x = operand(*x.notebook, call_of(x), 0);
    }
    return x;
}

}  // namespace

std::optional<Var> softmax_of(Var weights) {
    const bool is_gradient = name_of(weights).ends_with("_grad");
    const Var x = is_gradient ? through(weights, {&dropout_op, &mul_op})
                              : through(weights, {&dropout_op, &mul_op, &div_scalar_op});  // by p, by mistake
    return is(call_of(x), softmax_op) ? std::optional(x) : std::nullopt;
}

std::optional<Var> scores_of(Var scaled) {
    const Var x = through(scaled, {&div_scalar_op, &masked_fill_op});
    if (is(call_of(x), matmul_op)) {
        return x;
    }
    // Another mistake may have multiplied them with a mask, or dropped some.
    const Var y = through(scaled, {&div_scalar_op, &masked_fill_op, &mul_op, &dropout_op, &add_op});
    const bool is_gradient = name_of(y).ends_with("_grad");
    return is(call_of(y), matmul_op) && !is_gradient ? std::optional(y) : std::nullopt;
}

namespace {

// Heads, too, are transposed, but with the tokens.
bool turns_matrices(const Call& transposed, const Shape& shape) {
    return !transposed.has("dim0") ||
           shape.axis(transposed.integer("dim0")) + shape.axis(transposed.integer("dim1")) ==
               2 * shape.rank() - 3;
}

}  // namespace

bool makes_scores(Notebook& notebook, const Call& call) {
    if (!is(call, matmul_op) || operand(notebook, call, 0).value().rank() < 2) {
        return false;
    }
    const Var keys = operand(notebook, call, 1);
    const Call& transposed = call_of(keys);
    return is(transposed, transpose_op) && turns_matrices(transposed, keys.value().shape()) &&
           !is_weight(through(operand(notebook, transposed, 0), {&slice_op}));
}

bool makes_context(Notebook& notebook, const Call& call) {
    return is(call, matmul_op) && softmax_of(operand(notebook, call, 0));
}

bool is_masked(Var scaled) {
    return is(call_of(through(scaled, {&div_scalar_op})), masked_fill_op);
}

Var unmasked(Var weights) {
    Notebook* const notebook = weights.notebook;
    const Var x = original(weights);
    const Call& call = call_of(x);
    if (is(call, masked_fill_op)) {
        return operand(*notebook, call, 0);
    }
    if (!is(call, softmax_op) && !is(call, div_scalar_op)) {
        return x;
    }
    const Var result =
        notebook->record(*call.operation, {unmasked(operand(*notebook, call, 0))}, call.attributes);
    for (std::size_t id = 0; id < x.id; ++id) {
        const Node& node = notebook->nodes()[id];
        if (!node.name.empty() && node.call.operation == call.operation &&
            identical(node.value, result.value())) {
            return {notebook, id};
        }
    }
    return result;
}

Var masked_as(Var scores, Var scaled) {
    const Call& call = call_of(through(scaled, {&div_scalar_op}));
    return scores.notebook->record(masked_fill_op, {scores, operand(*scores.notebook, call, 1)},
                                   call.attributes);
}

Var visible(Var scores) {
    Notebook& notebook = *scores.notebook;
    const Number n = literal(scores.value().size(-1));
    const std::optional<Var> mask = named(notebook, "mask_simple");
    return mask && mask->value().size(-1) == scores.value().size(-1) ? *mask : tril(ones(notebook, {n, n}));
}

bool is_weight(Var x) {
    x = original(x);
    return is(call_of(x), weight_op) || (is(call_of(x), parameter_op) && !call_of(x).has("requires_grad"));
}

}  // namespace attn::patterns
