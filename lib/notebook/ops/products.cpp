#include "notebook/ops/products.hpp"

#include "notebook/backward.hpp"
#include "notebook/ops/arithmetic.hpp"
#include "notebook/ops/gradients.hpp"
#include "notebook/ops/layout.hpp"
#include "notebook/ops/row.hpp"
#include "notebook/strides.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"
#include "tensor/matmul.hpp"

namespace attn {

// A vector on the right is one column.
std::pair<Index, Index> factors_of_product(const CellOf& x, std::size_t k) {
    const std::size_t a_rank = x[0].rank();
    const std::size_t b_rank = x[1].rank();
    Index left = x.cell;
    left[a_rank - 1] = k;
    Index right = x.cell;
    if (b_rank > 1) {
        right[b_rank - 1] = x.cell[x.result.rank() - 1];
        right[b_rank - 2] = k;
    } else {
        right[0] = k;
    }
    return {left, right};
}

Expr product_formula(const FormulaOf& x) {
    return juxtaposed(x.whole(0), x.whole(1));
}

Expr product_of_rows(const FormulaOf& x) {
    return juxtaposed(x.whole(0), transposed(x.whole(1)));
}

namespace {

// Turns a vector into a matrix with one column.
Var column(Var x) {
    return view(x, {literal(x.value().size(0)), literal(1)});
}

// Returns the gradient of an operand, g bᵀ for a or aᵀ g for b, with autograd's operations. If a batch is
// multiplied by one matrix, the batch is joined to one tall matrix first. For a matrix that is transposed in
// memory, the transposed gradient is computed.
Var gradient_of_product(const Backward& y) {
    const Var a = y.operand(0);
    const Var b = y.operand(1);
    const std::size_t a_rank = a.value().rank();
    if (b.value().rank() == 1) {
        return y.to == 1     ? matmul(matrix_transpose(a), y.grad)
               : a_rank == 1 ? y.grad * b
                             : column(y.grad) * b;
    }
    if (a_rank == 1) {
        return y.to == 0 ? matmul(b, y.grad) : column(a) * y.grad;
    }
    const bool is_folded = a_rank > 2 && b.value().rank() == 2;
    if (y.to == 0) {
        const bool in_order = is_row_major(y.grad.value().shape(), strides(*b.notebook, y.grad.id));
        return matmul(is_folded && !in_order ? contiguous(y.grad) : y.grad, matrix_transpose(b));
    }
    if (b.value().rank() > 2) {
        return matmul(matrix_transpose(a), y.grad);
    }
    const Var rows = is_folded ? flatten_rows(a) : a;
    const Var grad = is_folded ? flatten_rows(y.grad) : y.grad;
    const bool lies_transposed = strides(*b.notebook, b.id) == Strides{1, b.value().size(0)};
    return lies_transposed ? matrix_transpose(matmul(matrix_transpose(grad), rows))
                           : matmul(matrix_transpose(rows), grad);
}

}  // namespace

const Operation matmul_op{
    .name = "matmul",
    .evaluate = binary<matmul>,
    .torch = {"{0} @ {1}", Binding::product},
    .formula = product_formula,
    .grad_fn = [](const Arguments& x) -> GradFn {
        if (x[0].rank() > 2) {
            return "UnsafeViewBackward0";
        }
        if (x[0].rank() == 1) {
            return x[1].rank() == 1 ? "DotBackward0" : "SqueezeBackward4";
        }
        return x[1].rank() == 1 ? "MvBackward0" : "MmBackward0";
    },
    .gradient = gradient_of_product,
    .cells = Products{factors_of_product},
};

Var matmul(Var a, Var b) {
    return matmul_op(a, b);
}

const Operation dot_op{
    .name = "dot",
    .evaluate = binary<dot>,
    .formula = [](const FormulaOf& x) { return x.whole(0) * x.whole(1); },
    .gradient = [](const Backward& y) { return y.grad * y.operand(1 - y.to); },
    .cells = Products{factors_of_product},
};

Var dot(Var a, Var b) {
    return dot_op(a, b);
}

const Operation outer_op{
    .name = "outer",
    .evaluate =
        [](const Arguments& x) {
            return mul(view(x[0], Shape{x[0].count(), 1}), x[1]);
        },
    .cpp = "mul(view({0}, {{{0}.count(), 1}}), {1})",
    .formula = product_of_rows,
    .grad_fn = "MulBackward0",
    .cells = Explained{[](const CellOf& x) {
        return Explanation{cell_of(0, Index{x.cell[0]}) * cell_of(1, Index{x.cell[1]})};
    }},
};

Var outer(Var a, Var b) {
    return outer_op(a, b);
}

}  // namespace attn
