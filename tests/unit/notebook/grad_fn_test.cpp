// Autograd's names of operations that no stage prints, and of operands of each rank: golden names of PyTorch
// 2.6, W = torch.nn.Parameter(torch.ones(3, 3)); print((W @ W[0]).grad_fn), and so on.
// tests/oracle/transcripts.py compares the others.
#include <doctest/doctest.h>

#include "notebook/ops.hpp"
#include "tensor/layout.hpp"

using namespace attn;

TEST_CASE("an operation has autograd's name where a parameter takes part") {
    Notebook nb;
    const Var x = nb.given(ones(Shape{3, 3}));
    const Var W = parameter(nb.given(ones(Shape{3, 3})));
    const Var v = parameter(nb.given(ones(Shape{3})));
    const Var generator = manual_seed(nb, 123);
    const std::pair<Var, std::string_view> rows[] = {
        {matmul(W, v), "MvBackward0"},
        {matmul(v, x), "SqueezeBackward4"},
        {matmul(v, v), "DotBackward0"},
        {sqrt(W), "SqrtBackward0"},
        {literal(1) - W, "RsubBackward1"},
        {numpy::where(x, W, literal(0)), "WhereBackward0"},
        {W - x, "SubBackward0"},
        {W / literal(2), "DivBackward0"},
        {tril(W), "TrilBackward0"},
        {tril(W, literal(1)), "TrilBackward0"},
        {triu(W, 1), "TriuBackward0"},
        {select(W, {literal(1)}), "SelectBackward0"},
        {slice(W, {literal(2), literal(2)}), "SliceBackward0"},
        {sum(W), "SumBackward0"},
        {mean(W, -1), "MeanBackward1"},
        {amax(W), "AmaxBackward0"},
        {square(W), "PowBackward0"},
        {repeat_interleave(W, literal(2), 1), "ViewBackward0"},
        {with_last_row(W, slice(x, literal(0), literal(1))), "CopySlices"},
        {dropout(generator, matmul(x, W), literal(0)), "MmBackward0"},  // its operand's
        {W, ""},
        {eq(W, literal(0)), ""},
        {le(W, x), ""},
        {as_bool(W), ""},
        {agree(W, x), ""},
        {sum(eq(W, literal(0)), -1, true), ""},
        {softmax(x, -1), ""},
    };
    for (const auto& row : rows) {
        const Node& node = nb.nodes()[row.first.id];
        CAPTURE(node.call.operation->name);
        CHECK(node.grad_fn == row.second);
    }
}
