// Mistakes of the weights: which generator and seed they come from, in which order, and which way round they
// are used.
#include <algorithm>
#include <array>
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

// The three layers of a head drawn in another order: the layer in each place is the order's draw.
struct DrawOrder {
    std::array<std::size_t, 3> order;
    std::size_t asked = 0;
    std::vector<Var> layers{};

    std::optional<Var> draw(Notebook& nb, const Call& call) {
        const std::size_t place = asked++ % order.size();
        // A projection from d_model to d_model may be any layer; those of a head come first.
        const bool may_be_output = is(call, linear_op) && call.number("in") == call.number("out");
        if (place == 0) {
            const bool draws = layers.empty() || !may_be_output;
            layers.clear();
            for (std::size_t i = 0; draws && i < order.size(); ++i) {
                layers.push_back(nb.record(*call.operation, {operand(nb, call, 0)}, call.attributes));
                if (is(call, linear_op)) {
                    weight(layers.back());  // named where it was drawn, so that the lines show the order
                }
            }
        }
        return layers.empty() ? std::nullopt : std::optional(layers[order[place]]);
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
    seeds.insert({0, 1, 2, 7, 42, 1234});  // that people take
    seeds.erase(right.seed);
    Variants variants;
    for (const std::uint64_t seed : seeds) {
        variants.push_back({.change = [seed](Parameters& parameters) { parameters.seed = seed; },
                            .like_change = first_seeded_with(seed)});
    }
    return variants;
}

// Layers of earlier modules have been drawn from the same generator.
Variants seed_not_set_again(const Parameters& right) {
    const Number d_in = literal(right.d_in);
    const Number d_out = literal(right.d_out);
    const auto drawn_before = [&](std::size_t rands, std::size_t linears, bool has_bias) {
        return Variant{[=, is_seeded = false](Notebook& nb, const Call& call) mutable -> std::optional<Var> {
                           if (is_seeded || !is(call, manual_seed_op)) {
                               return std::nullopt;
                           }
                           is_seeded = true;
                           const Var generator = nb.record(manual_seed_op, {}, call.attributes);
                           for (std::size_t i = 0; i < rands; ++i) {
                               rand(generator, {d_in, d_out});
                           }
                           for (std::size_t i = 0; i < linears; ++i) {
                               linear(generator, d_in, d_out, has_bias);
                           }
                           return generator;
                       },
                       {}};
    };
    return {drawn_before(0, 3, false), drawn_before(3, 0, false), drawn_before(0, 3, true),
            drawn_before(3, 3, false), drawn_before(0, 6, false)};
}

Variants seed_set_before_each_layer(const Parameters& right) {
    return only([seed = right.seed](Notebook& nb, const Call& call) -> std::optional<Var> {
        const bool draws = is(call, linear_op) || is(call, rand_op);
        return draws ? std::optional(nb.record(*call.operation, {manual_seed(nb, seed)}, call.attributes))
                     : std::nullopt;
    });
}

// One layer in the place of another.
Variants same_projection(const Parameters&) {
    const auto taken = [](std::string_view of, std::string_view instead) {
        return Variant{
            [=](Notebook& nb, const Call& call) -> std::optional<Var> {
                if (!is(call, matmul_op)) {
                    return std::nullopt;
                }
                const Var matrix = operand(nb, call, 1);
                const bool turns = is_matrix_transpose(call_of(matrix));
                const std::string& name = name_of(turns ? operand(nb, call_of(matrix), 0) : matrix);
                const std::optional<Var> other =
                    name.starts_with(of) ? named(nb, std::string(instead) + name.substr(of.size()))
                                         : std::nullopt;
                return other ? std::optional(matmul(operand(nb, call, 0), turns ? transpose(*other) : *other))
                             : std::nullopt;
            },
            {}};
    };
    return {taken("W_key", "W_query"), taken("W_value", "W_key"), taken("W_value", "W_query")};
}

Variants randn_instead_of_rand(const Parameters&) {
    return only([](Notebook& nb, const Call& call) -> std::optional<Var> {
        const bool draws = is(call, rand_op) && !call.has("out");
        return draws ? std::optional(randn(operand(nb, call, 0), call.numbers("size"))) : std::nullopt;
    });
}

Variants rand_transposed(const Parameters&) {
    return only([](Notebook& nb, const Call& call) -> std::optional<Var> {
        if (!is(call, rand_op) || call.has("out") || call.numbers("size").size() != 2) {
            return std::nullopt;
        }
        return transpose(rand(operand(nb, call, 0), {call.numbers("size")[1], call.numbers("size")[0]}));
    });
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
    Variants variants;
    for (const std::array<std::size_t, 3> order :
         {std::array<std::size_t, 3>{1, 0, 2}, {2, 1, 0}, {2, 0, 1}, {1, 2, 0}, {0, 2, 1}}) {
        variants.push_back(
            {[drawn = DrawOrder{order}](Notebook& nb, const Call& call) mutable -> std::optional<Var> {
                 if (is(call, linear_op) || is(call, rand_op)) {
                     return drawn.draw(nb, call);
                 }
                 return is(call, weight_op) ? DrawOrder::drawn_weight(nb, call) : std::nullopt;
             },
             {}});
    }
    return variants;
}

}  // namespace attn::variants
