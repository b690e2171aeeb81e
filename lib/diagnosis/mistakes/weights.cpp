// Mistakes of the weights: a different generator, seed or order of drawing, or transposed weights.
#include <array>
#include <set>
#include <string>
#include <utility>

#include "diagnosis/mistakes/kinds.hpp"
#include "diagnosis/mistakes/patterns.hpp"
#include "notebook/ops.hpp"
#include "stages/catalogue.hpp"

namespace attn {

using namespace patterns;

namespace {

// Draws a layer with torch.rand instead: (in, out) numbers from 0 to 1. The random matrix has the shape of
// the layer's, because `weight` reads that shape.
Var rand_layer(const At& c) {
    const Number& in = c.call.number("in");
    const Number& out = c.call.number("out");
    return c.notebook.record(rand_op, {c.operand()},
                             {Attribute{"size", {in, out}}, Attribute{"in", {in}}, Attribute{"out", {out}}});
}

bool is_rand_weight(Var x) {
    return is_weight(x) && call_of(call_of(original(x)).operand()).is(rand_op);
}

// Returns true for a matrix of random numbers that does not belong to a layer.
bool is_plain_rand(const At& c) {
    return c.is(rand_op) && !c.call.has("out");
}

// Draws the three layers of a head in a different order.
struct DrawOrder {
    std::array<std::size_t, 3> order;
    std::size_t asked = 0;
    std::vector<Var> layers{};

    std::optional<Var> operator()(Notebook& notebook, const Call& call) {
        const At c{notebook, call};
        if (draws_weights(c)) {
            return draw(c);
        }
        // The weight of a layer is the next node after the layer's.
        const std::size_t after = c.is(weight_op) ? call.inputs.at(0) + 1 : notebook.nodes().size();
        return after < notebook.nodes().size() ? std::optional(Var{&notebook, after}) : std::nullopt;
    }

    std::optional<Var> draw(const At& c) {
        const std::size_t place = asked++ % order.size();
        if (place == 0) {
            // A layer from d_model to d_model may be the output projection. The output projection keeps its
            // weights, because it is drawn after the layers of the heads.
            const bool may_be_output = c.is(linear_op) && c.call.number("in") == c.call.number("out");
            const bool draws = layers.empty() || !may_be_output;
            layers.clear();
            for (std::size_t i = 0; draws && i < order.size(); ++i) {
                layers.push_back(c.again());
                if (c.is(linear_op)) {
                    // With its own line, the code shows the order of the draws.
                    weight(layers.back());
                }
            }
        }
        return layers.empty() ? std::nullopt : std::optional(layers[order[place]]);
    }
};

// Changes the first seed of the stage. It belongs to the weights, because they are drawn first.
Variant seeded_with(std::uint64_t seed) {
    return {[seed, is_seeded = false](Notebook& notebook, const Call& call) mutable -> std::optional<Var> {
                if (!call.has("seed") || std::exchange(is_seeded, true)) {
                    return std::nullopt;
                }
                return At{notebook, call}.with("seed", literal(seed));
            },
            [seed](Parameters& parameters) { parameters.seed = seed; }};
}

std::vector<Variant> other_seeds(const Parameters& right) {
    std::set<std::uint64_t> seeds{0, 1, 2, 7, 42, 1234};  // seeds that people often take
    for (const Stage* const stage : catalogue()) {
        seeds.insert(stage->defaults.seed);
    }
    seeds.erase(right.seed);
    std::vector<Variant> variants;
    for (const std::uint64_t seed : seeds) {
        variants.push_back(seeded_with(seed));
    }
    return variants;
}

// First draws the layers of other modules from the same generator.
Variant drawn_before(const Parameters& right, std::size_t rands, std::size_t linears, bool has_bias) {
    return {[=, d_in = literal(right.d_in), d_out = literal(right.d_out), is_seeded = false](
                Notebook& notebook, const Call& call) mutable -> std::optional<Var> {
        const At c{notebook, call};
        if (!c.is(manual_seed_op) || std::exchange(is_seeded, true)) {
            return std::nullopt;
        }
        const Var generator = c.again();
        for (std::size_t i = 0; i < rands; ++i) {
            rand(generator, {d_in, d_out});
        }
        for (std::size_t i = 0; i < linears; ++i) {
            linear(generator, d_in, d_out, has_bias);
        }
        return generator;
    }};
}

// Uses one layer instead of another.
Edit taken_for(std::string_view of, std::string_view instead) {
    return at(matmul_op, [=](const At& c) -> std::optional<Var> {
        const Var matrix = c.operand(1);
        const bool turns = is_matrix_transpose(call_of(matrix));
        const std::string& name = name_of(turns ? call_of(matrix).operand() : matrix);
        const std::optional<Var> other =
            name.starts_with(of) ? named(c.notebook, std::string(instead) + name.substr(of.size()))
                                 : std::nullopt;
        return other ? std::optional(matmul(c.operand(), turns ? transpose(*other) : *other)) : std::nullopt;
    });
}

std::optional<Var> rand_for_linear(Notebook& notebook, const Call& call) {
    const At c{notebook, call};
    if (c.is(linear_op) && call.integer("bias") == 0) {
        return rand_layer(c);
    }
    if (c.is(weight_op) && call_of(c.operand()).is(rand_op)) {
        return parameter(c.operand());
    }
    if (is_matrix_transpose(c) && is_rand_weight(c.operand())) {
        return c.operand();  // the shape (out, in) needs no transpose
    }
    // The stage may use only the rows of one head.
    const bool takes_rows = c.is(slice_op) && is_rand_weight(c.operand());
    return takes_rows ? std::optional(c.again(transpose(c.operand()))) : std::nullopt;
}

std::optional<Var> linear_for_rand(Notebook& notebook, const Call& call) {
    const At c{notebook, call};
    if (is_plain_rand(c)) {
        return weight(linear(c.operand(), call.numbers("size")[0], call.numbers("size")[1], false));
    }
    if (c.is(parameter_op) && call.has("requires_grad") && call_of(c.operand()).is(weight_op)) {
        return c.operand();
    }
    const bool projects = c.is(matmul_op) && call_of(original(c.operand(1))).is(weight_op);
    return projects ? std::optional(matmul(c.operand(), transpose(c.operand(1)))) : std::nullopt;
}

}  // namespace

std::vector<Mistake> weight_mistakes() {
    return {
        {"other-seed", 14.5, other_seeds},
        {"seed-not-set-again", 12.5,
         [](const Parameters& right) {
             return std::vector{drawn_before(right, 0, 3, false), drawn_before(right, 3, 0, false),
                                drawn_before(right, 0, 3, true), drawn_before(right, 3, 3, false),
                                drawn_before(right, 0, 6, false)};
         }},
        {"seed-set-before-each-layer", 14,
         [](const Parameters& right) {
             return std::vector<Variant>{{at(draws_weights, [seed = right.seed](const At& c) {
                 return c.again(manual_seed(c.notebook, seed));
             })}};
         }},
        {"draw-order",
         14.8,
         {DrawOrder{{1, 0, 2}}, DrawOrder{{2, 1, 0}}, DrawOrder{{2, 0, 1}}, DrawOrder{{1, 2, 0}},
          DrawOrder{{0, 2, 1}}}},
        {"same-projection",
         13.5,
         // There are two variants: the unused layer draws its random numbers, too, or it was never created.
         {taken_for("W_key", "W_query"), taken_for("W_value", "W_key"), taken_for("W_value", "W_query"),
          taken_for("W_query", "W_key"), taken_for("W_query", "W_value"), taken_for("W_key", "W_value"),
          DrawOrder{{0, 0, 1}}, DrawOrder{{0, 1, 1}}, DrawOrder{{0, 1, 0}}}},
        {"randn-instead-of-rand", 14.5,
         at(is_plain_rand, [](const At& c) { return randn(c.operand(), c.call.numbers("size")); })},
        {"rand-transposed", 15,
         at(is_plain_rand,
            [](const At& c) -> std::optional<Var> {
                const std::vector<Number>& size = c.call.numbers("size");
                return size.size() == 2 ? std::optional(transpose(rand(c.operand(), {size[1], size[0]})))
                                        : std::nullopt;
            })},
        {"weights-not-transposed", 14.5,
         at([](const At& c) { return is_matrix_transpose(c) && is_weight(c.operand()); },
            [](const At& c) { return c.operand(); })},
        {"weights-reshaped", 15,
         at([](const At& c) { return is_matrix_transpose(c) && is_weight(c.operand()); },
            [](const At& c) {
                const Shape& size = c.operand().value().shape();
                return view(c.operand(), {literal(size[1]), literal(size[0])});
            })},
        {"rand-instead-of-linear", 14.6, {rand_for_linear}},
        {"linear-instead-of-rand", 14.6, {linear_for_rand}},
    };
}

}  // namespace attn
