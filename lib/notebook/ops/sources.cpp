#include "notebook/ops/sources.hpp"

#include <map>
#include <utility>

#include "notebook/ops/row.hpp"
#include "tensor/layout.hpp"
#include "tensor/random.hpp"
#include "text/lists.hpp"

namespace attn {

const Operation given_op{
    .name = "tensor",
    .torch = "torch.tensor({data})",
    .numpy = "np.array({data}, dtype=np.float32)",
    .cpp = "{data}",
    .cells = Explained{[](const CellOf& x) { return given_number(x, {"given"}); }},
};

constexpr std::uint64_t embedding_seed = 123;  // the seed in the setup below

std::size_t row_of(const Number& number) {
    return std::size_t(number.value());
}

const Operation embedding_op{
    .name = "embedding",
    .evaluate =
        [](const Arguments& x) {
            const std::size_t width = x.call.size("width");
            const std::vector<Number>& rows = x.call.numbers("rows");
            Tensor result(Shape{rows.size(), width});
            const auto place = [&](std::size_t i) { return row_of(rows[i / width]) * width + i % width; };
            // randn makes blocks of 16 from 16 draws each, so blocks that no word uses are only skipped.
            constexpr std::size_t size = 16;
            std::map<std::size_t, Tensor> blocks;
            for (std::size_t i = 0; i < result.count(); ++i) {
                blocks[place(i) / size];
            }
            Generator generator(embedding_seed);
            for (auto& [block, numbers] : blocks) {
                generator.discard(block * size - generator.drawn());
                numbers = randn(generator, Shape{size});
            }
            for (std::size_t i = 0; i < result.count(); ++i) {
                result.values()[i] = blocks[place(i) / size].values()[place(i) % size];
            }
            return result;
        },
    .torch = {"torch.nn.Embedding({words}, {width})(torch.tensor([{rows}])).detach()",
              "generator = torch.manual_seed(123)"},
    .numpy = "np.array({data}, dtype=np.float32)",
    .cpp = "{data}",
    .cells = Explained{[](const CellOf& x) {
        return given_number(x, {"embedding_row",
                                {fact("seed", embedding_seed), fact("words", x.call.size("words")),
                                 fact("row", row_of(x.call.numbers("rows")[x.cell[0]]))}});
    }},
};

Var embedding(Notebook& notebook, const std::vector<std::size_t>& rows, std::size_t width) {
    const auto numbers = mapped(rows, [](std::size_t row) { return literal(row); });
    return notebook.record(embedding_op, {},
                           {{"words", embedding_rows}, {"width", width}, {"rows", numbers}});
}

const Operation scalar_op{
    .name = "number",
    .evaluate = [](const Arguments& x) { return full(Shape{}, float(x.call.value("value"))); },
    .torch = {"{value}", Binding::comparison},
    .cpp = {"{value}", Binding::comparison},
    .formula = [](const FormulaOf& x) { return x.number("value"); },
    .returns = Returns::scalar,
};

Var scalar(Notebook& notebook, const Number& number) {
    return notebook.record(scalar_op, {}, {{"value", number}});
}

const Operation ones_op{
    .name = "ones",
    .evaluate = [](const Arguments& x) { return ones(x.call.shape()); },
    .torch = "torch.ones({size})",
    .numpy = "np.ones(({size}), dtype=np.float32)",
    .cpp = "ones({{{size}}})",
    .formula = [](const FormulaOf&) { return literal(1); },
};

Var ones(Notebook& notebook, std::vector<Number> size) {
    return notebook.record(ones_op, {}, {{"size", std::move(size)}});
}

const Operation arange_op{
    .name = "arange",
    .evaluate =
        [](const Arguments& x) {
            const std::size_t step = x.call.size("step");
            Tensor result(Shape{(x.call.size("to") - x.call.size("from") + step - 1) / step});
            for (std::size_t i = 0; i < result.count(); ++i) {
                result.values()[i] = float(x.call.size("from") + i * step);
            }
            return result;
        },
    .torch = "torch.arange({from}, {to}, {step}).float()",
    .numpy = "np.arange({from}, {to}, {step}, dtype=np.float32)",
    .cpp = {"[&] {{\n"
            "    Tensor result(Shape{{({to} - {from} + {step} - 1) / {step}}});\n"
            "    for (std::size_t i = 0; i < result.count(); ++i) {{\n"
            "        result.values()[i] = static_cast<float>({from} + i * {step});\n"
            "    }}\n"
            "    return result;\n"
            "}}()"},
    .formula =
        [](const FormulaOf& x) {
            return tuple({range(range(x.number("from"), x.number("to")), x.number("step"))});
        },
};

Var arange(Notebook& notebook, const Number& from, const Number& to, const Number& step) {
    return notebook.record(arange_op, {}, {{"from", from}, {"to", to}, {"step", step}});
}

// The squares of the numbers from `start` to `stop`, reduced to -1, 0 and 1. They look random, and sums of up
// to a few million of their products are exact in any order.
const Operation ternary_op{
    .name = "ternary",
    .evaluate =
        [](const Arguments& x) {
            Tensor result(x.call.shape());
            std::uint64_t i = x.call.size("start");
            for (float& value : result.values()) {
                value = float(i * i % x.call.size("modulus") % 3) - 1.0F;
                ++i;
            }
            return result;
        },
    .torch = "(torch.arange({start}, {stop})**2 % {modulus} % 3 - 1).float().view({size})",
    .numpy = "np.float32(np.arange({start}, {stop})**2 % {modulus} % 3 - 1).reshape({size})",
    .cpp =
        "Tensor {name}(Shape{{{size}}});\n"
        "for (std::size_t i = {start}; float& value : {name}.values()) {{\n"
        "    value = static_cast<float>(i * i % {modulus} % 3) - 1.0F;\n"
        "    ++i;\n"
        "}}",
    .cells = Explained{[](const CellOf& x) {
        const Expr remainder = number(double(x.result.at(x.cell)) + 1.0);
        return Explanation{remainder - constant(1),
                           {},
                           {"ternary",
                            {fact("number", x.call.size("start") + x.result.offset(x.cell)),
                             fact(x, "modulus"), fact("remainder", remainder)}}};
    }},
    .draws = true,
};

Var ternary(Notebook& notebook, std::size_t start, std::vector<Number> size) {
    constexpr int modulus = 10007;  // a prime number, after which the squares repeat
    std::size_t stop = start;
    std::size_t count = 1;
    for (const Number& length : size) {
        count *= std::size_t(length.value());
    }
    stop += count;
    return notebook.record(
        ternary_op, {}, {{"start", start}, {"stop", stop}, {"modulus", modulus}, {"size", std::move(size)}});
}

}  // namespace attn
