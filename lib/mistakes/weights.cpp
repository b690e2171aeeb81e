// Mistakes of the weights: a different generator, seed or order of drawing, or transposed weights.
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "mistakes/kinds.hpp"
#include "mistakes/patterns.hpp"
#include "notebook/ops.hpp"
#include "stages/weight_names.hpp"
#include "tensor/elementwise.hpp"

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
    return is_weight(x) && call_of(original(x)).maker().is(rand_op);
}

// Returns true for a matrix of random numbers that does not belong to a layer.
bool is_plain_rand(const At& c) {
    return c.is(rand_op) && !c.call.has("out");
}

bool is_linear_without_bias(const At& c) {
    return c.is(linear_op) && c.call.integer("bias") == 0;
}

bool turns_weight(const At& c) {
    return is_matrix_transpose(c) && is_weight(c.operand());
}

// Draws the three layers of a head in a different order.
using Order = std::array<std::size_t, 3>;
Edit drawn_in_order(const Order& order) {
    return at([order, count = std::size_t{0}, layers = std::vector<Var>()](const At& c) mutable -> MaybeVar {
        if (!draws_weights(c)) {
            // The weight of a layer is the next node after the layer's.
            const std::size_t nodes = c.notebook.nodes().size();
            const std::size_t after = c.is(weight_op) ? c.operand().id + 1 : nodes;
            return after < nodes ? Var{&c.notebook, after} : none;
        }
        const std::size_t place = count++ % order.size();
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
        return layers.empty() ? none : layers[order[place]];
    });
}

// Draws other numbers between the first seed and the weights.
Edit drawn_before(std::function<void(Var generator)> draw) {
    return at(manual_seed_op, [draw = std::move(draw), is_seeded = false](const At& c) mutable -> MaybeVar {
        if (std::exchange(is_seeded, true)) {
            return none;
        }
        const Var generator = c.again();
        draw(generator);
        return generator;
    });
}

// Draws the layers of other modules before.
WalkEdit layers_drawn_before(const Parameters& right, std::size_t layers, bool has_bias) {
    return {drawn_before([=, d_in = literal(right.d_in), d_out = literal(right.d_out)](Var generator) {
        for (std::size_t i = 0; i < layers; ++i) {
            linear(generator, d_in, d_out, has_bias);
        }
    })};
}

// Numbers from 0 to 1 with 53 random bits.
template <double (*next)(Generator& generator)>
Tensor doubles(const Arguments& x, const Shape& shape, double bound) {
    Tensor result(shape);
    for (float& number : result.values()) {
        const double u = next(*x.generator);
        number = static_cast<float>(bound == 0.0 ? u : u * 2.0 * bound - bound);
    }
    return result;
}

double next_of_torch(Generator& generator) {
    return generator.next_double();
}

double next_of_numpy(Generator& generator) {
    const double high = generator.next32() >> 5U;
    return (high * 0x1p26 + static_cast<double>(generator.next32() >> 6U)) * 0x1p-53;
}

const Operation rand_double_op{
    .name = "rand",
    .evaluate = [](const Arguments& x) { return doubles<next_of_torch>(x, x.call.shape(), 0.0); },
    .torch = "torch.rand({size}, dtype=torch.float64)",
    .draws = true,
};

const Operation rand_numpy_op{
    .name = "rand",
    .evaluate = [](const Arguments& x) { return doubles<next_of_numpy>(x, x.call.shape(), 0.0); },
    .torch = "torch.from_numpy(np.float32(np.random.rand({size})))",
    .draws = true,
};

// Returns an operation that draws the numbers of a layer in a different way.
Operation drawn_layer(const char* torch, Tensor (*draw)(const Arguments& x)) {
    return {
        .name = "linear",
        .evaluate = draw,
        .torch = torch,
        .draws = true,
        .trained = Trained::parameter,
        .returns = Returns::layer,
    };
}

const Operation linear_double_op =
    drawn_layer("torch.nn.Linear({in}, {out}, bias={bias}, dtype=torch.float64)", [](const Arguments& x) {
        const std::size_t biases = x.call.integer("bias") != 0 ? 1 : 0;
        return doubles<next_of_torch>(x, Shape{x.call.size("out") * (x.call.size("in") + biases)},
                                      1.0 / std::sqrt(x.call.value("in")));
    });

// A layer without a bias, whose weight is drawn again.
const Operation xavier_op = drawn_layer(
    "torch.nn.init.xavier_uniform_(torch.nn.Linear({in}, {out}, bias={bias}))", [](const Arguments& x) {
        const auto bound = static_cast<float>(std::sqrt(6.0 / (x.call.value("in") + x.call.value("out"))));
        return uniform(*x.generator, Shape{x.call.size("out") * x.call.size("in")}, -bound, bound);
    });

const Operation normal_op = drawn_layer(
    "torch.nn.init.normal_(torch.nn.Linear({in}, {out}, bias={bias}), std=0.02)", [](const Arguments& x) {
        return mul(randn(*x.generator, Shape{x.call.size("out") * x.call.size("in")}), 0.02);
    });

// Draws the weights of a head again when all three are built.
Edit initialised_again(const Operation& draw) {
    return at(is_linear_without_bias, [&draw, count = 0](const At& c) mutable {
        for (int i = 0; i < 3 && count % 3 == 0; ++i) {
            c.again();
        }
        ++count;
        return c.by(draw);
    });
}

// Returns the weight of a projection, which the code may have transposed.
Var weight_in(const At& projection) {
    const At turned = projection.maker(1);
    return is_matrix_transpose(turned) ? turned.operand() : projection.operand(1);
}

// Uses a layer of a different module, which was built after a seed of its own.
Edit of_other_module(std::size_t place, std::uint64_t seed, bool is_linear) {
    return at(matmul_op, [=](const At& c) -> MaybeVar {
        if (name_of(weight_in(c)) != weight_names.at(place)) {
            return none;
        }
        const Number in = literal(c.operand(1).value().size(0));
        const Number out = literal(c.operand(1).value().size(1));
        const Var generator = manual_seed(c.notebook, seed);
        MaybeVar layer;
        for (std::size_t i = 0; i <= place; ++i) {
            layer = is_linear ? linear(generator, in, out, false) : rand(generator, {in, out});
        }
        return matmul(c.operand(), is_linear ? transpose(weight(*layer)) : *layer);
    });
}

std::vector<Edit> of_other_modules() {
    std::vector<Edit> edits;
    for (const bool is_linear : {true, false}) {
        for (const std::uint64_t seed : {123U, 789U}) {  // those of the documents
            for (std::size_t place = 0; place < weight_names.size(); ++place) {
                edits.push_back(of_other_module(place, seed, is_linear));
            }
        }
    }
    return edits;
}

// Uses one layer instead of another.
Edit taken_for(std::string_view of, std::string_view instead) {
    return at(matmul_op, [=](const At& c) {
        const Var right = weight_in(c);
        const std::string& name = name_of(right);
        const MaybeVar other =
            name.starts_with(of) ? named(c.notebook, std::string(instead) + name.substr(of.size())) : none;
        const bool turns = right.id != c.operand(1).id;
        return other ? matmul(c.operand(), turns ? transpose(*other) : *other) : none;
    });
}

MaybeVar rand_for_linear(const At& c) {
    if (is_linear_without_bias(c)) {
        return rand_layer(c);
    }
    if (c.is(weight_op) && c.maker().is(rand_op)) {
        return parameter(c.operand());
    }
    if (is_matrix_transpose(c) && is_rand_weight(c.operand())) {
        return c.operand();  // the shape (out, in) needs no transpose
    }
    // The stage may use only the rows of one head.
    const bool takes_rows = c.is(slice_op) && is_rand_weight(c.operand());
    return takes_rows ? c.again(transpose(c.operand())) : none;
}

MaybeVar linear_for_rand(const At& c) {
    if (is_plain_rand(c)) {
        const std::vector<Number>& size = c.call.numbers("size");
        return weight(linear(c.operand(), size[0], size[1], false));
    }
    if (c.is(parameter_op) && c.call.has("requires_grad") && c.maker().is(weight_op)) {
        return c.operand();
    }
    const bool projects = c.is(matmul_op) && c.origin(1).is(weight_op);
    return projects ? matmul(c.operand(), transpose(c.operand(1))) : none;
}

}  // namespace

std::vector<Mistake> weight_mistakes() {
    return {
        {"seed-not-set-again", 13.24,
         [](const Parameters& right) {
             return std::vector{layers_drawn_before(right, 3, false), layers_drawn_before(right, 3, true),
                                layers_drawn_before(right, 6, false)};
         },
         About::order_of_draws},
        {"seed-set-before-each-layer", 14, draws_weights,
         [](const At& c) { return c.again(c.maker().again()); }, About::order_of_draws},
        {"draw-order", 14.8,
         each<Order>({{1, 0, 2}, {2, 1, 0}, {2, 0, 1}, {1, 2, 0}, {0, 2, 1}}, drawn_in_order),
         About::order_of_draws},
        {"same-projection",
         13.5,
         // There are two variants: the unused layer draws its random numbers, too, or it was never created.
         {taken_for("W_key", "W_query"), taken_for("W_value", "W_key"), taken_for("W_value", "W_query"),
          taken_for("W_query", "W_key"), taken_for("W_query", "W_value"), taken_for("W_key", "W_value"),
          drawn_in_order({0, 0, 1}), drawn_in_order({0, 1, 1}), drawn_in_order({0, 1, 0})}},
        {"randn-instead-of-rand", 14.5, is_plain_rand, drawn_by_randn, About::draws},
        {"rand-transposed", 15, is_plain_rand, drawn_transposed, About::draws},
        {"weights-not-transposed",
         13.5,
         {at(turns_weight, left_out),
          at([](const At& c) { return turns_weight(c) && name_of(c.operand()) == "W_out"; }, left_out)}},
        {"weights-reshaped", 15, turns_weight,
         [](const At& c) {
             const Shape& size = c.operand().value().shape();
             return view(c.operand(), {literal(size[1]), literal(size[0])});
         }},
        {"rand-instead-of-linear", 14.6, at(rand_for_linear), About::draws},
        {"linear-instead-of-rand", 14.6, at(linear_for_rand), About::draws},
        {"drawn-before", 15.3,
         each({1, 2, 3, 4, 6, 10, 36},
              [](int numbers) {
                  return drawn_before([=](Var generator) { rand(generator, {literal(numbers)}); });
              }),
         About::order_of_draws},
        {"other-generator",
         15.3,
         {at(rand_op, by(rand_double_op)), at(linear_op, by(linear_double_op)),
          at(rand_op, by(rand_numpy_op))},
         About::draws},
        {"other-initialisation",
         15.5,
         {at(is_plain_rand, filled_with_ones), at(is_plain_rand, drawn_around_zero),
          at(is_plain_rand, [](const At& c) { return numpy::randn(c.operand(), c.call.numbers("size")); }),
          initialised_again(xavier_op), initialised_again(normal_op)},
         About::draws},
        {"other-module", 14.6, of_other_modules()},
    };
}

}  // namespace attn
