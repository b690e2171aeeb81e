#include "mistakes/patterns.hpp"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <utility>

#include "notebook/ops.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"
#include "tensor/tensor.hpp"

namespace attn::patterns {

std::vector<Var> At::operands() const {
    std::vector<Var> all;
    std::ranges::transform(call.inputs, std::back_inserter(all), [&](std::size_t input) {
        return Var{&notebook, input};
    });
    return all;
}

At At::maker(std::size_t position) const {
    return call_of(operand(position));
}

At At::origin(std::size_t position) const {
    return call_of(original(operand(position)));
}

Var At::again(Var first) const {
    std::vector<Var> all = operands();
    all.at(0) = first;
    return again(all);
}

Var At::again(const std::vector<Var>& operands) const {
    return notebook.record(*call.operation, operands, call.attributes);
}

Var At::by(const Operation& operation) const {
    return notebook.record(operation, operands(), call.attributes);
}

Var At::with(std::string_view attribute, const Number& number) const {
    return notebook.record(*call.operation, operands(), call.attributes.with(attribute, number));
}

Edit at(Verb verb) {
    return [verb = std::move(verb)](Notebook& notebook, const Call& call) { return verb({notebook, call}); };
}

Edit at(Site site, Verb verb) {
    return at([site = std::move(site), verb = std::move(verb)](const At& c) {
        return site.holds(c) ? verb(c) : none;
    });
}

Var left_out(const At& c) {
    return c.operand();
}

Verb by(const Operation& operation) {
    return [&operation](const At& c) { return c.by(operation); };
}

Verb applied(Function function) {
    return [function](const At& c) { return function(c.operand()); };
}

Var drawn_by_randn(const At& c) {
    return randn(c.operand(), c.call.numbers("size"));
}

MaybeVar drawn_transposed(const At& c) {
    const std::vector<Number>& size = c.call.numbers("size");
    return size.size() == 2 ? transpose(rand(c.operand(), {size[1], size[0]})) : none;
}

Var drawn_around_zero(const At& c) {
    return c.again() * literal(2) - ones(c.notebook, c.call.numbers("size"));
}

Var filled_with_ones(const At& c) {
    return ones(c.notebook, c.call.numbers("size"));
}

At call_of(const Var& x) {
    return {*x.notebook, x.notebook->nodes()[x.id].call};
}

const std::string& name_of(Var x) {
    return x.notebook->nodes()[x.id].name;
}

namespace {

template <typename Wanted>
MaybeVar last_node(Notebook& notebook, const Wanted& wanted) {
    for (std::size_t id = notebook.nodes().size(); id-- > 0;) {
        if (wanted(notebook.nodes()[id])) {
            return Var{&notebook, id};
        }
    }
    return none;
}

}  // namespace

MaybeVar named(Notebook& notebook, std::string_view name) {
    return last_node(notebook, [&](const Node& node) { return node.name == name; });
}

MaybeVar last(Notebook& notebook, const Operation& operation) {
    return last_node(notebook, [&](const Node& node) { return node.call.operation == &operation; });
}

Number number(Notebook& notebook, std::string_view name, double value) {
    const MaybeVar node = named(notebook, name);
    if (!node) {
        return literal(value);
    }
    // The node is a number, because no tensor has the name of a number.
    return named(call_of(*node).call.value("value"), std::string(name), letter(name), node->id);
}

Number written(double value, std::string_view reads) {
    return named(value, std::string(reads), literal(value));
}

Var original(Var x) {
    while (call_of(x).is(alias_op)) {
        x = call_of(x).operand();
    }
    return x;
}

namespace {

// Follows the first operands of these operations, and returns the first node that another operation made.
Var through(Var x, std::initializer_list<const Operation*> operations) {
    for (x = original(x); std::ranges::find(operations, call_of(x).call.operation) != operations.end();
         x = original(x)) {
        x = call_of(x).operand();
    }
    return x;
}

bool is_gradient(Var x) {
    return name_of(x).ends_with("_grad");
}

MaybeVar if_is(const Operation& operation, Var x) {
    return call_of(x).is(operation) ? x : none;
}

}  // namespace

MaybeVar softmax_of(Var weights) {
    // If a second mistake scales the weights by p, the call is a multiplication.
    return if_is(softmax_op, is_gradient(weights) ? through(weights, {&dropout_op, &mul_op})
                                                  : through(weights, {&dropout_op, &mul_op, &div_scalar_op}));
}

MaybeVar scores_of(Var scaled) {
    if (const auto scores = if_is(matmul_op, through(scaled, {&div_scalar_op, &masked_fill_op}))) {
        return scores;
    }
    // Two other mistakes multiply the scores by a mask, or apply dropout to the scores.
    const Var x = through(scaled, {&div_scalar_op, &masked_fill_op, &mul_op, &dropout_op, &add_op});
    return is_gradient(x) ? none : if_is(matmul_op, x);
}

Var unmasked(Var weights) {
    const Var x = original(weights);
    const At c = call_of(x);
    if (c.is(masked_fill_op)) {
        return c.operand();
    }
    if (!c.is(softmax_op) && !c.is(div_scalar_op)) {
        return x;
    }
    const Var result = c.again({unmasked(c.operand())});
    for (std::size_t id = 0; id < x.id; ++id) {
        const Node& node = c.notebook.nodes()[id];
        if (!node.name.empty() && node.call.operation == c.call.operation &&
            identical(node.value, result.value())) {
            return {x.notebook, id};
        }
    }
    return result;
}

Var masked_as(Var scores, Var scaled) {
    return call_of(through(scaled, {&div_scalar_op})).again(scores);
}

Var ones_for(Var scores) {
    const Number n = literal(scores.value().size(-1));
    return ones(*scores.notebook, {n, n});
}

Var visible(Var scores) {
    const MaybeVar mask = named(*scores.notebook, "mask_simple");
    return mask && mask->value().size(-1) == scores.value().size(-1) ? *mask : tril(ones_for(scores));
}

bool is_matrix_transpose(const At& c) {
    return c.is(transpose_op) && !c.call.has("dim0");
}

bool is_lower_triangle(const At& c) {
    return c.is(tril_op) && !c.call.has("diagonal");
}

bool is_upper_triangle(const At& c) {
    return c.is(triu_op) && c.call.integer("diagonal") == 1;
}

namespace {

// Returns true if a call exchanges the last two axes, not heads and tokens.
bool turns_matrices(const Call& transposed, const Shape& shape) {
    return !transposed.has("dim0") ||
           shape.axis(transposed.integer("dim0")) + shape.axis(transposed.integer("dim1")) ==
               2 * shape.rank() - 3;
}

}  // namespace

bool makes_scores(const At& c) {
    if (!c.is(matmul_op) || c.rank() < 2) {
        return false;
    }
    const At turned = c.maker(1);
    return turned.is(transpose_op) && turns_matrices(turned.call, c.operand(1).value().shape()) &&
           !is_weight(through(turned.operand(), {&slice_op}));
}

bool scales_scores(const At& c) {
    return c.is(div_scalar_op) && scores_of(c.operand());
}

bool makes_context(const At& c) {
    return c.is(matmul_op) && softmax_of(c.operand());
}

bool is_masked(Var scaled) {
    return call_of(through(scaled, {&div_scalar_op})).is(masked_fill_op);
}

bool is_masked_softmax(const At& c) {
    return c.is(softmax_op) && is_masked(c.operand());
}

Var relu(Var x) {
    static const Operation relu_op{
        .name = "relu",
        .evaluate = [](const Arguments& y) { return maximum(y[0], full(y[0].shape(), 0.0F)); },
        .torch = "torch.relu({0})",
    };
    return relu_op(x);
}

bool draws_weights(const At& c) {
    return c.is(linear_op) || c.is(rand_op);
}

bool is_weight(Var x) {
    const At c = call_of(original(x));
    return c.is(weight_op) || (c.is(parameter_op) && !c.call.has("requires_grad"));
}

}  // namespace attn::patterns
