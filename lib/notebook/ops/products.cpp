#include "notebook/ops/products.hpp"

#include "notebook/ops/row.hpp"
#include "tensor/matmul.hpp"

namespace attn {

namespace {

// A row of the left against a column of the right. A vector on the right is its only column.
Explanation explain_product(const Call&, Operands x, const Tensor& result, const Index& cell) {
    const Tensor& a = *x[0];
    const Tensor& b = *x[1];
    std::vector<Arithmetic> terms;
    for (std::size_t k = 0; k < a.size(-1); ++k) {
        Index left = cell;
        left[a.rank() - 1] = k;
        Index right = cell;
        if (b.rank() > 1) {
            right[b.rank() - 1] = cell[result.rank() - 1];
            right[b.rank() - 2] = k;
        } else {
            right[0] = k;
        }
        terms.push_back(tight(cell_of(0, left), cell_of(1, right)));
    }
    return {sum_of(std::move(terms))};
}

Cost cost_of_product(Operands x, const Tensor& result) {
    return {2 * x[0]->size(-1) * result.count(), cost_of_moving(x, result).bytes};
}

}  // namespace

const Operation matmul_op{
    .name = "matmul",
    .evaluate = binary<matmul>,
    .torch = {"{0} @ {1}", Binding::product},
    .cpp = "matmul({0}, {1})",
    .formula = [](FormulaOf& x) { return juxtaposed(x.whole(0), x.whole(1)); },
    .grad_fn = [](const Call&, Operands x) -> std::string_view {
        if (x[0]->rank() > 2) {
            return "UnsafeViewBackward0";
        }
        if (x[0]->rank() == 1) {
            return x[1]->rank() == 1 ? "DotBackward0" : "SqueezeBackward3";
        }
        return x[1]->rank() == 1 ? "MvBackward0" : "MmBackward0";
    },
    .explain = explain_product,
    .cost = cost_of_product,
    .sign = Sign::of_operands,
};

Var matmul(Var a, Var b) {
    return record(matmul_op, {a, b});
}

const Operation dot_op{
    .name = "dot",
    .evaluate = binary<dot>,
    .torch = "torch.dot({0}, {1})",
    .numpy = "np.dot({0}, {1})",
    .cpp = "dot({0}, {1})",
    .formula = [](FormulaOf& x) { return x.whole(0) * x.whole(1); },
    .grad_fn = "DotBackward0",
    .explain = explain_product,
    .cost = cost_of_product,
    .sign = Sign::of_operands,
};

Var dot(Var a, Var b) {
    return record(dot_op, {a, b});
}

}  // namespace attn
