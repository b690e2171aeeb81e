#include "notebook/ops/loops.hpp"

#include <utility>

#include "notebook/ops/products.hpp"
#include "notebook/ops/row.hpp"
#include "tensor/layout.hpp"
#include "tensor/matmul.hpp"

namespace attn {

namespace {

Tensor row(const Tensor& x, std::size_t i) {
    return select(x, {i});
}

}  // namespace

const Operation row_dots{
    .name = "dot",
    .evaluate =
        [](const Arguments& x) {
            Tensor result(Shape{x[0].size(0)});
            for (std::size_t i = 0; i < result.count(); ++i) {
                result.values()[i] = dot(row(x[0], i), x[1]).values()[0];
            }
            return result;
        },
    .torch = {"{name} = torch.empty({0}.shape[0])\n"
              "for i, x_i in enumerate({0}):\n"
              "    {name}[i] = torch.dot(x_i, {1})"},
    .numpy = {"{name} = np.array([np.dot(x_i, {1}) for x_i in {0}])"},
    .cpp = {"Tensor {name}(Shape{{{0}.size(0)}});\n"
            "for (std::size_t i = 0; i < {name}.count(); ++i) {{\n"
            "    {name}.values()[i] = dot(select({0}, {{i}}), {1}).values()[0];\n"
            "}}"},
    .formula = product_formula,
    .cells = Products{factors_of_product},
};

const Operation pair_dots{
    .name = "dot",
    .evaluate =
        [](const Arguments& x) {
            Tensor result(Shape{x[0].size(0), x[1].size(0)});
            for (std::size_t i = 0; i < result.count(); ++i) {
                const Index cell = result.index(i);
                result.values()[i] = dot(row(x[0], cell[0]), row(x[1], cell[1])).values()[0];
            }
            return result;
        },
    .torch = {"{name} = torch.empty({0}.shape[0], {1}.shape[0])\n"
              "for i, x_i in enumerate({0}):\n"
              "    for j, x_j in enumerate({1}):\n"
              "        {name}[i, j] = torch.dot(x_i, x_j)"},
    .numpy = {"{name} = np.array([[np.dot(x_i, x_j) for x_j in {1}] for x_i in {0}])"},
    .cpp = {"Tensor {name}(Shape{{{0}.size(0), {1}.size(0)}});\n"
            "for (std::size_t i = 0; i < {name}.count(); ++i) {{\n"
            "    const auto cell = {name}.index(i);\n"
            "    {name}.values()[i] = dot(select({0}, {{cell[0]}}), select({1}, {{cell[1]}})).values()[0];\n"
            "}}"},
    .formula = product_of_rows,
    .cells = Products{[](const CellOf& x, std::size_t k) {
        return std::pair{Index{x.cell[0], k}, Index{x.cell[1], k}};
    }},
};

const Operation summed_products{
    .name = "dot",
    .evaluate =
        [](const Arguments& x) {
            float total = 0.0F;
            for (std::size_t i = 0; i < x[0].count(); ++i) {
                total += x[0].values()[i] * x[1].values()[i];
            }
            return full(Shape{}, total);
        },
    .torch = {"{name} = 0.\n"
              "for idx, element in enumerate({0}):\n"
              "    {name} += {0}[idx] * {1}[idx]"},
    .numpy = {"{name} = np.float32(0)\n"
              "for idx, element in enumerate({0}):\n"
              "    {name} += {0}[idx] * {1}[idx]"},
    .cpp = {"Tensor {name};\n"
            "for (std::size_t i = 0; i < {1}.count(); ++i) {{\n"
            "    {name}.values()[0] += {0}.values()[i] * {1}.values()[i];\n"
            "}}"},
    .formula =
        [](const FormulaOf& x) {
            const Expr k = letter("k");
            return sum_over("k", subscript(x.whole(0), k) * subscript(x.whole(1), k));
        },
    .cells = Products{factors_of_product},
};

const Operation weighted_rows{
    .name = "weighted_sum",
    .evaluate =
        [](const Arguments& x) {
            Tensor result(Shape{x[1].size(1)});
            for (std::size_t i = 0; i < x[1].count(); ++i) {
                const Index cell = x[1].index(i);
                result.values()[cell[1]] += x[0].values()[cell[0]] * x[1].values()[i];
            }
            return result;
        },
    .torch = {"{name} = torch.zeros({1}.shape[1])\n"
              "for i, x_i in enumerate({1}):\n"
              "    {name} += {0}[i] * x_i"},
    .numpy = {"{name} = np.zeros({1}.shape[1], dtype=np.float32)\n"
              "for i, x_i in enumerate({1}):\n"
              "    {name} += {0}[i] * x_i"},
    .cpp = {"Tensor {name}(Shape{{{1}.size(1)}});\n"
            "for (std::size_t i = 0; i < {1}.size(0); ++i) {{\n"
            "    {name} = add({name}, mul(select({1}, {{i}}), {0}.values()[i]));\n"
            "}}"},
    .formula = product_formula,
    .cells = Products{factors_of_product},
};

const Operation prefix_products{
    .name = "matmul",
    .evaluate =
        [](const Arguments& x) {
            std::vector<Tensor> products;
            for (const float d_k : x[2].values()) {
                const auto width = std::size_t(d_k);
                products.push_back(
                    matmul(slice(x[0], 1, 0, width), transpose(slice(x[1], 1, 0, width), 0, 1)));
            }
            return stack(products);
        },
    .torch = {"{name} = torch.empty({2}.shape[0], {0}.shape[0], {1}.shape[0])\n"
              "for i, d_k in enumerate({2}.int().tolist()):\n"
              "    {name}[i] = {0}[:, :d_k] @ {1}[:, :d_k].T"},
    .numpy = {"{name} = np.array([{0}[:, :d_k] @ {1}[:, :d_k].T for d_k in {2}.astype(int)])"},
    .cpp =
        {"Tensor {name}(Shape{{{2}.count(), {0}.size(0), {1}.size(0)}});\n"
         "for (std::size_t i = 0; i < {2}.count(); ++i) {{\n"
         "    const auto d_k = static_cast<std::size_t>({2}.values()[i]);\n"
         "    const Tensor product = matmul(slice({0}, 1, 0, d_k), transpose(slice({1}, 1, 0, d_k), 0, 1));\n"
         "    std::ranges::copy(product.values(),\n"
         "                      {name}.values().subspan(i * product.count()).begin());\n"
         "}}",
         "#include <algorithm>"},
    .formula = product_of_rows,
    .cells = Explained{[](const CellOf& x) {
        const auto width = std::size_t(x[2].values()[x.cell[0]]);
        std::vector<Expr> terms;
        for (std::size_t k = 0; k < width; ++k) {
            terms.push_back(tight(cell_of(0, {x.cell[1], k}), cell_of(1, {x.cell[2], k})));
        }
        return Explanation{sum_of(std::move(terms))};
    }},
};

}  // namespace attn
