// Rows of what is made from nothing: data, and numbers of the program.
#include "notebook/rows.hpp"
#include "tensor/layout.hpp"

namespace attn::rows {

const Operation given{
    .name = "tensor",
    .evaluate = nullptr,
    .torch = {"torch.tensor({data})"},
    .numpy = {"np.array({data}, dtype=np.float32)"},
    .cpp = {"{data}"},
    .mathml = {},
    .grad_fn = no_grad_fn,
    .explain =
        [](const Call& call, Operands x, const Tensor& result, const Index& cell) {
            Explanation explanation = explain_leaf(call, x, result, cell);
            explanation.reason.id = "given";
            return explanation;
        },
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
    .is_tensor = false,
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
            std::uint64_t i = call.size("start");
            for (float& value : result.values()) {
                value = static_cast<float>(i * i % call.size("modulus") % 3) - 1.0F;
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
    .explain =
        [](const Call& call, Operands, const Tensor& result, const Index& cell) {
            const std::size_t i = call.size("start") + result.offset(cell);
            const Cell remainder = number_cell(static_cast<double>(result.at(cell)) + 1.0);
            return Explanation{"{} − 1",
                               {remainder},
                               {},
                               {"ternary",
                                {{"number", {}, std::to_string(i)},
                                 {"modulus", number_cell(call, "modulus"), ""},
                                 {"remainder", remainder, ""}}}};
        },
    .cost = cost_of_moving,
};

}  // namespace attn::rows
