// Rows of what is made from nothing: data, numbers of the program, and what the generator draws.
#include "notebook/rows.hpp"
#include "tensor/layout.hpp"

namespace attn::rows {

namespace {

std::size_t size(const Call& call, std::string_view name) {
    return static_cast<std::size_t>(call.number(name).value);
}

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

}  // namespace

const Operation given{
    .name = "tensor",
    .evaluate = nullptr,
    .torch = {"torch.tensor({data})"},
    .numpy = {"np.array({data}, dtype=np.float32)"},
    .cpp = {"{data}"},
    .mathml = {},
    .grad_fn = no_grad_fn,
    .explain = explain_leaf,
    .cost = no_cost,
};

const Operation host_number{
    .name = "number",
    .evaluate = [](const Call& call, Operands,
                   Generator&) { return full(Shape{}, static_cast<float>(call.number("value").value)); },
    .torch = {"{value}"},
    .numpy = {"{value}"},
    .cpp = {"{value}"},
    .mathml = {"{value}"},
    .grad_fn = no_grad_fn,
    .explain = explain_leaf,
    .cost = no_cost,
};

const Operation manual_seed{
    .name = "manual_seed",
    .evaluate =
        [](const Call& call, Operands, Generator& generator) {
            generator = Generator(std::stoull(call.number("seed").in(Language::torch)));
            return Tensor();
        },
    .torch = {"torch.manual_seed({seed})"},
    .numpy = {"np.random.RandomState({seed})"},
    .cpp = {.pattern = "Generator({seed}U)", .setup = header::random},
    .mathml = {},
    .grad_fn = no_grad_fn,
    .explain = explain_leaf,
    .cost = no_cost,
};

const Operation rand{
    .name = "rand",
    .evaluate = [](const Call& call, Operands,
                   Generator& generator) { return attn::rand(generator, call.shape()); },
    .torch = {"torch.rand({size})"},
    .numpy = {.pattern = "rand({0}, {size})", .setup = numpy_rand},
    .cpp = {.pattern = "rand({0}, {{{size}}})", .setup = header::random},
    .mathml = {"<mrow><mi>U</mi><mo>(</mo><mn>0</mn><mo>,</mo><mn>1</mn><mo>)</mo></mrow>"},
    .grad_fn = no_grad_fn,
    .explain = explain_leaf,
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
    .explain = explain_leaf,
    .cost = cost_of_moving,
};

const Operation parameter{
    .name = "parameter",
    .evaluate = [](const Call&, Operands x, Generator&) { return *x[0]; },
    .torch = {"torch.nn.Parameter({0})"},
    .numpy = {"{0}"},
    .cpp = {"{0}"},
    .mathml = {"{0:same}"},
    .grad_fn = no_grad_fn,
    .explain = explain_same_cell,
    .cost = no_cost,
    .parameter = true,
    .requires_grad = true,
};

const Operation frozen_parameter{
    .name = "parameter",
    .evaluate = parameter.evaluate,
    .torch = {"torch.nn.Parameter({0}, requires_grad=False)"},
    .numpy = {"{0}"},
    .cpp = {"{0}"},
    .mathml = {"{0:same}"},
    .grad_fn = no_grad_fn,
    .explain = explain_same_cell,
    .cost = no_cost,
    .parameter = true,
};

const Operation linear{
    .name = "linear",
    .evaluate =
        [](const Call& call, Operands, Generator& generator) {
            const auto drawn =
                attn::linear(generator, size(call, "in"), size(call, "out"), call.integer("bias") != 0);
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
    .explain = explain_leaf,
    .cost = cost_of_moving,
    .parameter = true,
    .requires_grad = true,
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
            return Explanation{"{}", {{0, Index{result.offset(cell)}}}};
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
            return Explanation{"{}", {{0, Index{x[0]->count() - result.count() + cell[0]}}}};
        },
    .cost = no_cost,
    .parameter = true,
    .requires_grad = true,
};

const Operation ones{
    .name = "ones",
    .evaluate = [](const Call& call, Operands, Generator&) { return attn::ones(call.shape()); },
    .torch = {"torch.ones({size})"},
    .numpy = {"np.ones(({size}), dtype=np.float32)"},
    .cpp = {.pattern = "ones({{{size}}})", .setup = header::layout},
    .mathml = {"<mn>1</mn>"},
    .grad_fn = no_grad_fn,
    .explain = explain_leaf,
    .cost = cost_of_moving,
};

// The squares of the numbers from `start` to `stop`, reduced to -1, 0 and 1: as irregular as drawn, and the
// sum of a few million products of them is exact in whatever order.
const Operation ternary{
    .name = "ternary",
    .evaluate =
        [](const Call& call, Operands, Generator&) {
            Tensor result(call.shape());
            std::uint64_t i = size(call, "start");
            for (float& value : result.values()) {
                value = static_cast<float>(i * i % size(call, "modulus") % 3) - 1.0F;
                ++i;
            }
            return result;
        },
    .torch = {"(torch.arange({start}, {stop})**2 % {modulus} % 3 - 1).float().view({size})"},
    .numpy = {"np.float32(np.arange({start}, {stop})**2 % {modulus} % 3 - 1).reshape({size})"},
    .cpp = {"Tensor {name}(Shape{{{size}}});\n"
            "for (std::size_t i = {start}; float& value : {name}.values()) {{\n"
            "    value = static_cast<float>(i * i % {modulus} % 3) - 1.0F;\n"
            "    ++i;\n"
            "}}"},
    .mathml = {},
    .grad_fn = no_grad_fn,
    .explain = explain_leaf,
    .cost = cost_of_moving,
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
    .explain = explain_leaf,
    .cost = cost_of_moving,
};

}  // namespace attn::rows
