#include "notebook/ops/random.hpp"

#include <numbers>
#include <utility>

#include "notebook/backward.hpp"
#include "notebook/ops/arithmetic.hpp"
#include "notebook/ops/row.hpp"

namespace attn {

namespace {

// Returns the generator as it was after `skipped` more draws. Neighbouring cells need neighbouring numbers,
// perhaps a million draws after the seed. So the generator is kept, and the next request continues from
// there.
Generator drawn_again(const Draws& draws, std::uint64_t skipped) {
    constexpr std::uint64_t distance = 1000;
    const std::uint64_t drawn = draws.drawn + skipped;
    thread_local Generator behind(0);
    if (behind.seed() != draws.seed || behind.drawn() > drawn) {
        behind = Generator(draws.seed);
    }
    if (drawn > behind.drawn() + 2 * distance) {
        behind.discard(drawn - distance - behind.drawn());
    }
    Generator generator = behind;
    generator.discard(drawn - generator.drawn());
    return generator;
}

}  // namespace

double uniform_again(const Draws& draws, std::uint64_t skipped) {
    Generator generator = drawn_again(draws, skipped);
    return double(rand(generator, Shape{}).values()[0]);
}

Fact seed_fact(const Draws& draws) {
    return fact("seed", draws.seed);
}

// Draws are counted from 1, although cells are counted from 0.
Fact draw_fact(const Draws& draws, std::uint64_t skipped, std::string_view name) {
    return fact(name, draws.drawn + skipped + 1);
}

const Operation manual_seed_op{
    .name = "manual_seed",
    .evaluate =
        [](const Arguments& x) {
            *x.generator = Generator(x.call.number("seed").leaf.whole);
            return Tensor();
        },
    .torch = "torch.manual_seed({seed})",
    .numpy = "np.random.RandomState({seed})",
    .cpp = "Generator({seed}U)",
    .returns = Returns::generator,
};

Var manual_seed(Notebook& notebook, std::uint64_t seed) {
    // NumPy rejects seeds of more than 32 bits; PyTorch uses only the lower 32.
    return notebook.record(manual_seed_op, {}, {{"seed", seed_number(seed, {false, true, false})}});
}

// NumPy's legacy generator draws the same numbers as PyTorch's. One draw gives 24 bits.
const Operation rand_op{
    .name = "rand",
    .evaluate = [](const Arguments& x) { return rand(*x.generator, x.call.shape()); },
    .torch = "torch.rand({size})",
    .numpy = {"rand({0}, {size})", "rand.py"},
    .cpp = "rand({0}, {{{size}}})",
    .formula =
        [](const FormulaOf&) {
            return applied(letter("uniform"), {literal(0), literal(1)});
        },
    .cells = Explained{[](const CellOf& x) {
        constexpr double denominator = 0x1p24;
        const Expr bits = number(double(x.result.at(x.cell)) * denominator);
        return Explanation{
            bits / number(denominator),
            {},
            {"rand", {seed_fact(x.call.draws), draw_fact(x.call.draws, x.result.offset(x.cell))}}};
    }},
    .draws = true,
};

Var rand(Var generator, std::vector<Number> size) {
    return rand_op({generator}, {{"size", std::move(size)}});
}

Expr standard_normal(const FormulaOf&) {
    return applied(letter("normal"), {literal(0), literal(1)});
}

namespace {

constexpr std::size_t normal_block = 16;  // torch.randn draws 8 pairs at a time

// The two uniform numbers behind one number of randn: u gives the radius, v the angle. If the count is not a
// multiple of 16, randn draws the last 16 numbers again.
struct NormalDraws {
    std::uint64_t radius, angle;
    bool is_cosine;
};

NormalDraws normal_draws(std::size_t i, std::size_t count) {
    constexpr std::size_t pairs = normal_block / 2;
    const std::size_t first_again = count % normal_block == 0 ? count : count - normal_block;
    const std::size_t in_block = i < first_again ? i % normal_block : i - first_again;
    const std::uint64_t block = i < first_again ? i - in_block : count;
    return {block + in_block % pairs, block + pairs + in_block % pairs, in_block < pairs};
}

Explanation explain_randn(const CellOf& x) {
    if (x.result.count() < normal_block) {
        return given_number(x, {"randn", {seed_fact(x.call.draws)}});
    }
    const NormalDraws draws = normal_draws(x.result.offset(x.cell), x.result.count());
    const Expr u = number(uniform_again(x.call.draws, draws.radius));
    const Expr v = number(uniform_again(x.call.draws, draws.angle));
    const Expr angle = tight(tight(constant(2), constant(std::numbers::pi)), v);
    return {tight(sqrt(tight(constant(-2), ln(constant(1) - u))), draws.is_cosine ? cos(angle) : sin(angle)),
            {},
            {"randn_pair",
             {seed_fact(x.call.draws), draw_fact(x.call.draws, draws.radius),
              draw_fact(x.call.draws, draws.angle, "other_draw")}}};
}

}  // namespace

const Operation randn_op{
    .name = "randn",
    .evaluate = [](const Arguments& x) { return randn(*x.generator, x.call.shape()); },
    .torch = "torch.randn({size})",
    .numpy = "np.array({data}, dtype=np.float32)",
    .cpp = "randn({0}, {{{size}}})",
    .formula = standard_normal,
    .cells = Explained{explain_randn},
    .draws = true,
};

Var randn(Var generator, std::vector<Number> size) {
    return randn_op({generator}, {{"size", std::move(size)}});
}

namespace {

// Returns the state of the generator that seeds MKL's generator. This is not the notebook's generator.
Draws mkl_draws(const Call& call) {
    return {call.number("seed").leaf.whole, call.size("drawn")};
}

// Explains why an element was kept or dropped. mt19937 needs two draws for each random number; MKL seeds its
// own generator with one draw.
template <DropoutRng rng>
Explanation explain_keep_mask(const CellOf& x) {
    const double p = x.call.value("p");
    if (p == 0.0 || p == 1.0) {  // nothing is drawn
        return given_number(x, {});
    }
    constexpr bool is_mkl = rng == DropoutRng::mkl;
    const bool kept = x.result.at(x.cell) != 0.0F;
    const std::size_t place = x.result.offset(x.cell);
    const Draws draws = is_mkl ? mkl_draws(x.call) : x.call.draws;
    const std::uint64_t skipped = is_mkl ? 0 : 2 * place;
    Generator generator = drawn_again(draws, skipped);
    KeepDraws numbers(generator, rng);
    for (std::size_t i = 0; is_mkl && i < place; ++i) {
        numbers.next();
    }
    const std::string_view id =
        is_mkl ? (kept ? "kept_by_mkl" : "dropped_by_mkl") : (kept ? "kept" : "dropped");
    return given_number(
        x, {id,
            {fact("number", number(numbers.next())), fact("keep", number(1.0 - p)), seed_fact(draws),
             draw_fact(draws, skipped),
             is_mkl ? fact("position", place + 1) : draw_fact(draws, skipped + 1, "other_draw")},
            true});
}

}  // namespace

// Only the shape of operand 1 is used. The mask has no line of code: the call of dropout draws it.
const Operation keep_mask_op{
    .name = "keep_mask",
    .evaluate =
        [](const Arguments& x) {
            return keep_mask(*x.generator, x[1].shape(), x.call.value("p"), DropoutRng::mt19937);
        },
    .torch = "torch.empty({1}.shape).bernoulli_(1 - {p})",
    .numpy = "np.array({data}, dtype=np.float32)",
    .cpp = "keep_mask({0}, {1}.shape(), {p}, DropoutRng::mt19937)",
    .formula = [](const FormulaOf&) { return letter("B"); },
    .cells = Explained{explain_keep_mask<DropoutRng::mt19937>},
    .marks = {.zero = CellKind::dropped},
    .draws = true,
};

// Operand 1 is the mask that PyTorch draws within dropout; operand 2 is the generator. NumPy code gets the
// same mask, because NumPy's legacy generator draws the same numbers: 53 bits from two draws each.
const Operation dropout_op{
    .name = "dropout",
    .evaluate = [](const Arguments& x) { return dropout(x[0], x[1], x.call.value("p")); },
    .torch = "torch.dropout({0}, p={p}, train=True)",
    .numpy = {"dropout({2}, {0}, p={p})", "dropout.py"},
    .cpp = "dropout({2}, {0}, {p})",
    .formula =
        [](const FormulaOf& x) {
            return cases(x.cell(0) / (literal(1) - letter("p")), words("kept"), literal(0));
        },
    .grad_fn = [](const Arguments& x) -> GradFn {
        return x.call.value("p") == 0.0 ? of_operand : GradFn("MulBackward0");
    },
    .gradient =
        [](const Backward& y) {
            const Number& p = y.call.number("p");
            return p.value() == 0.0 ? y.grad : y.grad * (y.operand(1) / (literal(1) - p));
        },
    .cells = Explained{[](const CellOf& x) {
        const double p = x.call.value("p");
        if (p == 1.0) {
            return Explanation{x(0) * constant(0), {}, {"all_dropped"}};
        }
        const bool kept = x.value(1) != 0.0F;
        return Explanation{x(0) * x(1) / (constant(1) - constant(p)),
                           {},
                           p == 0.0 ? Reason{"none_dropped"}
                           : kept   ? Reason{"scaled", {fact("factor", number(1.0 / (1.0 - p)))}}
                                    : Reason{}};
    }},
    .marks = {.follows = 0, .hides = hidden_by_factor},
};

Var dropout(Var generator, Var x, const Number& p) {
    const Var keep = keep_mask_op({generator, x}, {{"p", p}});
    return dropout_op({x, keep, generator}, {{"p", p}});
}

// MKL's mask. PyTorch builds without MKL cannot draw it, so code writes its numbers.
const Operation mkl_keep_mask_op{
    .name = "tensor",
    .evaluate =
        [](const Arguments& x) {
            Generator generator = drawn_again(mkl_draws(x.call), 0);
            return keep_mask(generator, x.call.shape(), x.call.value("p"), DropoutRng::mkl);
        },
    .torch = "torch.tensor({data})",
    .numpy = "np.array({data}, dtype=np.float32)",
    .cpp = "{data}",
    .cells = Explained{explain_keep_mask<DropoutRng::mkl>},
    .marks = {.zero = CellKind::dropped},
    .draws = true,
};

Var mkl_keep_mask(Notebook& notebook, Generator& generator, const Shape& shape, const Number& p) {
    const Number seed = literal(generator.seed());
    const Number drawn = literal(generator.drawn());
    keep_mask(generator, shape, p.value(), DropoutRng::mkl);  // advances the generator
    return notebook.record(mkl_keep_mask_op, {},
                           {{"seed", {seed}}, {"drawn", {drawn}}, {"p", {p}}, {"size", literals(shape)}});
}

}  // namespace attn
