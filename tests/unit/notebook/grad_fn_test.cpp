// Autograd's name of each operation that involves a parameter: golden names of PyTorch 1.13. With
// W = torch.nn.Parameter(torch.ones(3, 3)), v = torch.nn.Parameter(torch.ones(3)) and
// B = torch.nn.Parameter(torch.ones(2, 3, 3)): print((W @ v).grad_fn), and so on.
#include <doctest/doctest.h>

#include <string>

#include "notebook/ops.hpp"
#include "tensor/layout.hpp"

using attn::literal;
using attn::Notebook;
using attn::Shape;
using attn::Var;

namespace {

std::string grad_fn(Var node) {
    return std::string(node.notebook->nodes()[node.id].grad_fn);
}

struct Parameters {
    Notebook nb;
    Var x = nb.given(attn::ones(Shape{3, 3}));
    Var W = attn::parameter(nb.given(attn::ones(Shape{3, 3})));
    Var v = attn::parameter(nb.given(attn::ones(Shape{3})));
    Var B = attn::parameter(nb.given(attn::ones(Shape{2, 3, 3})));
};

}  // namespace

TEST_CASE("a product is called after the ranks of its operands") {
    Parameters p;
    CHECK(grad_fn(attn::matmul(p.W, p.x)) == "MmBackward0");
    CHECK(grad_fn(attn::matmul(p.W, p.v)) == "MvBackward0");
    CHECK(grad_fn(attn::matmul(p.v, p.x)) == "SqueezeBackward3");
    CHECK(grad_fn(attn::matmul(p.v, p.v)) == "DotBackward0");
    CHECK(grad_fn(attn::matmul(p.B, p.x)) == "UnsafeViewBackward0");
    CHECK(grad_fn(attn::dot(p.v, p.v)) == "DotBackward0");
}

TEST_CASE("every operation a gradient passes through has autograd's name for it") {
    Parameters p;
    CHECK(grad_fn(p.W + p.x) == "AddBackward0");
    CHECK(grad_fn(p.W - p.x) == "SubBackward0");
    CHECK(grad_fn(p.W * p.x) == "MulBackward0");
    CHECK(grad_fn(p.W / p.x) == "DivBackward0");
    CHECK(grad_fn(p.W / literal(2)) == "DivBackward0");
    CHECK(grad_fn(p.W * literal(2)) == "MulBackward0");
    CHECK(grad_fn(attn::maximum(p.W, p.x)) == "MaximumBackward0");
    CHECK(grad_fn(attn::exp(p.W)) == "ExpBackward0");
    CHECK(grad_fn(attn::abs(p.W)) == "AbsBackward0");
    CHECK(grad_fn(attn::sqrt(p.W)) == "SqrtBackward0");
    CHECK(grad_fn(attn::literal(1) - p.W) == "RsubBackward1");
    CHECK(grad_fn(attn::masked_fill(p.W, p.x, literal(0))) == "MaskedFillBackward0");
    CHECK(grad_fn(attn::numpy::where(p.x, p.W, literal(0))) == "WhereBackward0");
    CHECK(grad_fn(attn::tril(p.W)) == "TrilBackward0");
    CHECK(grad_fn(attn::tril(p.W, literal(1))) == "TrilBackward0");
    CHECK(grad_fn(attn::triu(p.W, 1)) == "TriuBackward0");
    CHECK(grad_fn(attn::softmax(p.W, 0)) == "SoftmaxBackward0");
    CHECK(grad_fn(attn::sum(p.W)) == "SumBackward0");
    CHECK(grad_fn(attn::sum(p.W, -1, true)) == "SumBackward1");
    CHECK(grad_fn(attn::sum(p.W, -1, false)) == "SumBackward1");
    CHECK(grad_fn(attn::mean(p.W, -1)) == "MeanBackward1");
    CHECK(grad_fn(attn::mean(p.W)) == "MeanBackward0");
    CHECK(grad_fn(attn::square(p.W)) == "PowBackward0");
    CHECK(grad_fn(attn::amax(p.W, -1)) == "AmaxBackward0");
    CHECK(grad_fn(attn::amax(p.W, -1, true)) == "AmaxBackward0");
    CHECK(grad_fn(attn::amax(p.W)) == "AmaxBackward0");
    CHECK(grad_fn(attn::stack({p.W, p.x})) == "StackBackward0");
    CHECK(grad_fn(attn::cat({p.x, p.W}, 0)) == "CatBackward0");
    CHECK(grad_fn(attn::with_last_row(p.W, attn::slice(p.x, literal(0), literal(1)))) == "CopySlices");
    CHECK(grad_fn(attn::transpose(p.W)) == "PermuteBackward0");
    CHECK(grad_fn(attn::transpose(p.W, 0, 1)) == "TransposeBackward0");
    CHECK(grad_fn(attn::transpose(p.B, 0, 1)) == "TransposeBackward0");
    CHECK(grad_fn(attn::view(p.W, {literal(9)})) == "ViewBackward0");
    CHECK(grad_fn(attn::select(p.W, {literal(1)})) == "SelectBackward0");
    CHECK(grad_fn(attn::slice(p.W, {literal(2), literal(2)})) == "SliceBackward0");
    CHECK(grad_fn(attn::slice(p.W, literal(0), literal(2))) == "SliceBackward0");
    CHECK(grad_fn(attn::slice(p.W, -literal(2))) == "SliceBackward0");
    CHECK(grad_fn(attn::repeat_interleave(p.W, literal(2), 0)) == "IndexSelectBackward0");
    CHECK(grad_fn(attn::repeat(p.W, {literal(2), literal(1)})) == "RepeatBackward0");
}

TEST_CASE("no gradient passes through a comparison, nor where no parameter takes part") {
    Parameters p;
    CHECK(grad_fn(attn::eq(p.W, literal(0))).empty());
    CHECK(grad_fn(attn::le(p.W, p.x)).empty());
    CHECK(grad_fn(attn::as_bool(p.W)).empty());
    CHECK(grad_fn(attn::softmax(p.x, -1)).empty());
    CHECK(grad_fn(attn::sum(attn::eq(p.W, literal(0)), -1, true)).empty());
}
