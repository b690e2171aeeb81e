// Rows of what the generator draws. To explain a number is to draw it again.
#include <fmt/format.h>

#include <cmath>

#include "notebook/rows.hpp"

namespace attn::rows {

namespace {

// The parameters of a layer lie in one vector: the weight row by row, then the bias.
Tensor part(const Tensor& layer, const Shape& shape, std::size_t from) {
    const auto first = layer.values().begin() + static_cast<std::ptrdiff_t>(from);
    return Tensor(shape, std::vector<float>(first, first + static_cast<std::ptrdiff_t>(shape.count())));
}

// NumPy's legacy generator is PyTorch's. One draw gives 24 bits, and in double the bounds' product and sum
// are exact, so that rounding once to float32 is what a fused multiply-add does.
constexpr std::string_view numpy_rand =
    "def rand(generator, *size):\n"
    "    return np.float32(generator.randint(2**32, size=size, dtype=np.uint32) % 2**24 / 2**24)";
constexpr std::string_view numpy_linear =
    "def rand(generator, *size):\n"
    "    return np.float32(generator.randint(2**32, size=size, dtype=np.uint32) % 2**24 / 2**24)\n"
    "class Linear:\n"
    "    def __init__(self, generator, d_in, d_out, bias):\n"
    "        bound = np.float32(1 / d_in**0.5)\n"
    "        def draw(*size):\n"
    "            return np.float32((2 * rand(generator, *size).astype(float) - 1) * bound)\n"
    "        self.weight = draw(d_out, d_in)\n"
    "        self.bias = draw(d_out) if bias else None";

// The generator as it stood when the call was evaluated, `skipped` numbers of 32 bits later.
Generator drawn_again(const Draws& draws, std::uint64_t skipped) {
    Generator generator(draws.seed);
    generator.discard(draws.drawn + skipped);
    return generator;
}

double uniform_again(const Draws& draws, std::uint64_t skipped) {
    Generator generator = drawn_again(draws, skipped);
    return static_cast<double>(attn::rand(generator, Shape{}).values()[0]);
}

Fact text_fact(std::string_view name, std::uint64_t number) {
    return {name, {}, std::to_string(number)};
}

Fact seed_fact(const Draws& draws) {
    return text_fact("seed", draws.seed);
}

// What tensors count from 0, draws count from 1.
Fact draw_fact(const Draws& draws, std::uint64_t skipped, std::string_view name = "draw") {
    return text_fact(name, draws.drawn + skipped + 1);
}

constexpr std::size_t normal_block = 16;  // what torch.randn makes at a time: 8 pairs

// Which numbers of the call make a number of randn: u for the radius, v for the angle. What does not fill a
// block is drawn again, with the 16 last.
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

Explanation explain_randn(const Call& call, Operands, const Tensor& result, const Index& cell) {
    if (result.count() < normal_block) {
        return {"{}",
                {number_cell(static_cast<double>(result.at(cell)))},
                {},
                {"randn", {seed_fact(call.draws)}}};
    }
    const NormalDraws draws = normal_draws(result.offset(cell), result.count());
    return {fmt::format("sqrt(−2·ln(1 − {{}}))·{}(2·π·{{}})", draws.is_cosine ? "cos" : "sin"),
            {number_cell(uniform_again(call.draws, draws.radius)),
             number_cell(uniform_again(call.draws, draws.angle))},
            {},
            {"randn_pair",
             {seed_fact(call.draws), draw_fact(call.draws, draws.radius),
              draw_fact(call.draws, draws.angle, "other_draw")}}};
}

Explanation explain_linear(const Call& call, Operands, const Tensor&, const Index& cell) {
    const double bound = static_cast<double>(static_cast<float>(1.0 / std::sqrt(call.number("in").value)));
    const Cell u = number_cell(uniform_again(call.draws, cell[0]));
    return {"{} · 2·{} − {}",
            {u, number_cell(bound), number_cell(bound)},
            {},
            {"linear",
             {{"in", number_cell(call, "in"), ""},
              {"bound", number_cell(bound), ""},
              {"number", u, ""},
              seed_fact(call.draws),
              draw_fact(call.draws, cell[0])}}};
}

// Why an element is kept or dropped, when `u` decided.
Reason keep_reason(const Call& call, bool kept, double u) {
    return {kept ? "kept" : "dropped",
            {{"number", number_cell(u), ""}, {"keep", number_cell(1.0 - call.number("p").value), ""}},
            true};
}

bool nothing_drawn(const Call& call) {
    return call.number("p").value == 0.0 || call.number("p").value == 1.0;
}

Explanation explain_keep_mask(const Call& call, Operands x, const Tensor& result, const Index& cell) {
    Explanation explanation = explain_leaf(call, x, result, cell);
    if (!nothing_drawn(call)) {
        constexpr std::uint64_t draws_per_number = 2;
        const std::uint64_t skipped = draws_per_number * result.offset(cell);
        Generator generator = drawn_again(call.draws, skipped);
        explanation.reason =
            keep_reason(call, result.at(cell) != 0.0F, KeepDraws(generator, DropoutRng::mt19937).next());
        explanation.reason.facts.push_back(seed_fact(call.draws));
        explanation.reason.facts.push_back(draw_fact(call.draws, skipped));
        explanation.reason.facts.push_back(draw_fact(call.draws, skipped + 1, "other_draw"));
    }
    return explanation;
}

// Seeded by the call, for the notebook's generator is left alone.
Draws mkl_draws(const Call& call) {
    return {std::stoull(call.number("seed").in(Language::torch)), call.size("drawn")};
}

Explanation explain_mkl_keep_mask(const Call& call, Operands x, const Tensor& result, const Index& cell) {
    Explanation explanation = explain_leaf(call, x, result, cell);
    if (!nothing_drawn(call)) {
        const Draws draws = mkl_draws(call);
        Generator generator = drawn_again(draws, 0);
        KeepDraws numbers(generator, DropoutRng::mkl);
        const std::size_t i = result.offset(cell);
        for (std::size_t skipped = 0; skipped < i; ++skipped) {
            numbers.next();
        }
        explanation.reason = keep_reason(call, result.at(cell) != 0.0F, numbers.next());
        explanation.reason.id = result.at(cell) != 0.0F ? "kept_by_mkl" : "dropped_by_mkl";
        explanation.reason.facts.push_back(seed_fact(draws));
        explanation.reason.facts.push_back(draw_fact(draws, 0));
        explanation.reason.facts.push_back(text_fact("position", i + 1));
    }
    return explanation;
}

}  // namespace

const Operation rand{
    .name = "rand",
    .evaluate = [](const Call& call, Operands,
                   Generator& generator) { return attn::rand(generator, call.shape()); },
    .torch = {"torch.rand({size})"},
    .numpy = {.pattern = "rand({0}, {size})", .setup = numpy_rand},
    .cpp = {.pattern = "rand({0}, {{{size}}})", .setup = header::random},
    .mathml = {"<mrow><mi>U</mi><mo>(</mo><mn>0</mn><mo>,</mo><mn>1</mn><mo>)</mo></mrow>"},
    .grad_fn = no_grad_fn,
    .explain =
        [](const Call& call, Operands, const Tensor& result, const Index& cell) {
            constexpr double denominator = 0x1p24;
            const std::size_t i = result.offset(cell);
            const Cell bits = number_cell(static_cast<double>(result.at(cell)) * denominator);
            return Explanation{"{} / {}",
                               {bits, number_cell(denominator)},
                               {},
                               {"rand", {seed_fact(call.draws), draw_fact(call.draws, i)}}};
        },
    .cost = cost_of_moving,
};

const Operation randn{
    .name = "randn",
    .evaluate = [](const Call& call, Operands,
                   Generator& generator) { return attn::randn(generator, call.shape()); },
    .torch = {"torch.randn({size})"},
    .numpy = {"np.array({data}, dtype=np.float32)"},
    .cpp = {.pattern = "randn({0}, {{{size}}})", .setup = header::random},
    .mathml = {"<mrow><mi>N</mi><mo>(</mo><mn>0</mn><mo>,</mo><mn>1</mn><mo>)</mo></mrow>"},
    .grad_fn = no_grad_fn,
    .explain = explain_randn,
    .cost = cost_of_moving,
};

const Operation linear{
    .name = "linear",
    .evaluate =
        [](const Call& call, Operands, Generator& generator) {
            const auto drawn =
                attn::linear(generator, call.size("in"), call.size("out"), call.integer("bias") != 0);
            std::vector<float> all(drawn.weight.values().begin(), drawn.weight.values().end());
            if (drawn.bias) {
                all.insert(all.end(), drawn.bias->values().begin(), drawn.bias->values().end());
            }
            const Shape shape{all.size()};
            return Tensor(shape, std::move(all));
        },
    .torch = {"torch.nn.Linear({in}, {out}, bias={bias})"},
    .numpy = {.pattern = "Linear({0}, {in}, {out}, bias={bias})", .setup = numpy_linear},
    .cpp = {.pattern = "linear({0}, {in}, {out}, {bias})", .setup = header::random},
    .mathml = {},
    .grad_fn = no_grad_fn,
    .explain = explain_linear,
    .cost = cost_of_moving,
    .parameter = true,
    .requires_grad = true,
    .is_tensor = false,
};

const Operation weight{
    .name = "weight",
    .evaluate = [](const Call& call, Operands x, Generator&) { return part(*x[0], call.shape(), 0); },
    .torch = {"{0}.weight"},
    .numpy = {"{0}.weight"},
    .cpp = {"{0}.weight"},
    .mathml = {"<mrow><mi>U</mi><mo>(</mo><mo>−</mo>"
               "<mfrac><mn>1</mn><msqrt><msub><mi>d</mi><mi>in</mi></msub></msqrt></mfrac><mo>,</mo>"
               "<mfrac><mn>1</mn><msqrt><msub><mi>d</mi><mi>in</mi></msub></msqrt></mfrac><mo>)</mo></mrow>"},
    .grad_fn = no_grad_fn,
    .explain =
        [](const Call&, Operands, const Tensor& result, const Index& cell) {
            return moved({0, Index{result.offset(cell)}});
        },
    .cost = no_cost,
    .parameter = true,
    .requires_grad = true,
};

const Operation bias{
    .name = "bias",
    .evaluate = [](const Call& call, Operands x,
                   Generator&) { return part(*x[0], call.shape(), x[0]->count() - call.shape().count()); },
    .torch = {"{0}.bias"},
    .numpy = {"{0}.bias"},
    .cpp = {"*{0}.bias"},
    .mathml = weight.mathml,
    .grad_fn = no_grad_fn,
    .explain =
        [](const Call&, Operands x, const Tensor& result, const Index& cell) {
            return moved({0, Index{x[0]->count() - result.count() + cell[0]}});
        },
    .cost = no_cost,
    .parameter = true,
    .requires_grad = true,
};

// Operand 1 only lends its shape. No line of code shows the mask: dropout draws it where it is applied.
const Operation keep_mask{
    .name = "keep_mask",
    .evaluate =
        [](const Call& call, Operands x, Generator& generator) {
            return attn::keep_mask(generator, x[1]->shape(), call.number("p").value, DropoutRng::mt19937);
        },
    .torch = {"torch.empty({1}.shape).bernoulli_(1 - {p})"},
    .numpy = {"np.array({data}, dtype=np.float32)"},
    .cpp = {"keep_mask({0}, {1}.shape(), {p}, DropoutRng::mt19937)"},
    .mathml = {"<mi>B</mi>"},
    .grad_fn = no_grad_fn,
    .explain = explain_keep_mask,
    .cost = cost_of_moving,
};

// The mask MKL draws, which PyTorch elsewhere can only be given.
const Operation mkl_keep_mask{
    .name = "tensor",
    .evaluate =
        [](const Call& call, Operands, Generator&) {
            Generator generator = drawn_again(mkl_draws(call), 0);
            return attn::keep_mask(generator, call.shape(), call.number("p").value, DropoutRng::mkl);
        },
    .torch = {"torch.tensor({data})"},
    .numpy = {"np.array({data}, dtype=np.float32)"},
    .cpp = {"{data}"},
    .mathml = {},
    .grad_fn = no_grad_fn,
    .explain = explain_mkl_keep_mask,
    .cost = no_cost,
};

}  // namespace attn::rows
