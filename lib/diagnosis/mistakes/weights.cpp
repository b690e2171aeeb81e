// Mistakes of the weights: which generator and seed they come from, in which order, and which way round they
// are used.
#include <algorithm>
#include <set>
#include <utility>

#include "diagnosis/mistakes/patterns.hpp"
#include "diagnosis/mistakes/variants.hpp"
#include "notebook/ops.hpp"
#include "stages/catalogue.hpp"

namespace attn::variants {

using namespace patterns;

namespace {

// A layer drawn as (in, out) numbers from 0 to 1. It keeps the sizes, which `weight` asks a layer for.
Var rand_layer(Notebook& nb, const Call& call) {
    return nb.record(rand_op, {operand(nb, call, 0)},
                     {{"size", {call.number("in"), call.number("out")}},
                      {"in", {call.number("in")}},
                      {"out", {call.number("out")}}});
}

bool is_rand_weight(Var x) {
    x = original(x);
    return is_weight(x) && is(call_of(operand(*x.notebook, call_of(x), 0)), rand_op);
}

// The second of the three layers of a head drawn before the first.
struct DrawOrder {
    std::size_t drawn = 0;
    std::optional<Var> first;  // drawn as the first, used as the second

    std::optional<Var> draw(Notebook& nb, const Call& call) {
        const std::size_t place = drawn++;
        const auto again = [&] {
            const Var layer = nb.record(*call.operation, {operand(nb, call, 0)}, call.attributes);
            if (is(call, linear_op)) {
                weight(layer);  // named where it was drawn, so that the lines show the order
            }
            return layer;
        };
        // A projection from d_model to d_model may be any layer; those of a head come first.
        const bool may_be_output = is(call, linear_op) && call.number("in").in(Language::torch) ==
                                                              call.number("out").in(Language::torch);
        if (place % 3 == 0 && !(place > 0 && may_be_output)) {
            first = again();
            return again();
        }
        return place % 3 == 1 ? std::exchange(first, std::nullopt) : std::nullopt;
    }

    // The weight of a layer that was taken where the layer was drawn: nothing else follows one.
    static std::optional<Var> drawn_weight(Notebook& nb, const Call& call) {
        const std::size_t after = call.inputs.at(0) + 1;
        return after < nb.nodes().size() ? std::optional(Var{&nb, after}) : std::nullopt;
    }
};

}  // namespace

namespace {

// Weights are drawn before anything else is.
Edit first_seeded_with(std::uint64_t seed) {
    return [seed, is_seeded = false](Notebook& nb, const Call& call) mutable -> std::optional<Var> {
        if (is_seeded || !call.has("seed")) {
            return std::nullopt;
        }
        is_seeded = true;
        return nb.record(*call.operation, {}, call.attributes.with("seed", literal(seed)));
    };
}

}  // namespace

Variants other_seed(const Parameters& right) {
    std::set<std::uint64_t> seeds;
    for (const Stage* stage : catalogue()) {
        seeds.insert(stage->defaults.seed);
    }
    seeds.erase(right.seed);
    Variants variants;
    for (const std::uint64_t seed : seeds) {
        variants.push_back({.change = [seed](Parameters& parameters) { parameters.seed = seed; },
                            .like_change = first_seeded_with(seed)});
    }
    return variants;
}

Variants weights_not_transposed(const Parameters&) {
    return {{[](Notebook& nb, const Call& call) -> std::optional<Var> {
                 const bool transposes = is_matrix_transpose(call) && is_weight(operand(nb, call, 0));
                 return transposes ? std::optional(operand(nb, call, 0)) : std::nullopt;
             },
             {}}};
}

Variants rand_instead_of_linear(const Parameters&) {
    return {{[](Notebook& nb, const Call& call) -> std::optional<Var> {
                 if (is(call, linear_op) && call.integer("bias") == 0) {
                     return rand_layer(nb, call);
                 }
                 if (is(call, weight_op) && is(call_of(operand(nb, call, 0)), rand_op)) {
                     return parameter(operand(nb, call, 0));
                 }
                 if (is_matrix_transpose(call) && is_rand_weight(operand(nb, call, 0))) {
                     return operand(nb, call, 0);  // it is the right way round already
                 }
                 if (is(call, slice_op) && is_rand_weight(operand(nb, call, 0))) {  // a head's rows
                     return nb.record(slice_op, {transpose(operand(nb, call, 0))}, call.attributes);
                 }
                 return std::nullopt;
             },
             {}}};
}

Variants linear_instead_of_rand(const Parameters&) {
    return {{[](Notebook& nb, const Call& call) -> std::optional<Var> {
                 if (is(call, rand_op) && !call.has("out")) {  // not what stands for a layer already
                     return weight(linear(operand(nb, call, 0), call.numbers("size")[0],
                                          call.numbers("size")[1], false));
                 }
                 if (is(call, parameter_op) && call.has("requires_grad") &&
                     is(call_of(operand(nb, call, 0)), weight_op)) {
                     return operand(nb, call, 0);
                 }
                 if (is(call, matmul_op) && is(call_of(original(operand(nb, call, 1))), weight_op)) {
                     return matmul(operand(nb, call, 0), transpose(operand(nb, call, 1)));
                 }
                 return std::nullopt;
             },
             {}}};
}

Variants draw_order(const Parameters&) {
    return {{[order = DrawOrder()](Notebook& nb, const Call& call) mutable -> std::optional<Var> {
                 if (is(call, linear_op) || is(call, rand_op)) {
                     return order.draw(nb, call);
                 }
                 return is(call, weight_op) ? DrawOrder::drawn_weight(nb, call) : std::nullopt;
             },
             {}}};
}

}  // namespace attn::variants
