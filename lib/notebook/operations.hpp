// The operations as a stage writes them: each computes its tensor and records the call. They are named and
// ordered as in PyTorch; what each does to shapes stands with the function of the same name in lib/tensor.
#pragma once

#include <cstdint>

#include "notebook/notebook.hpp"

namespace attn {

// --- made from nothing ---

Var host_number(Notebook& notebook, const Number& number);
// Seeds the generator that all draws after it come from. torch.manual_seed(seed)
Var manual_seed(Notebook& notebook, std::uint64_t seed);
// A layer with its parameters drawn: the weight, then the bias. torch.nn.Linear(in, out, bias=bias)
Var linear(Var generator, const Number& in, const Number& out, bool bias);
Var weight(Var layer);  // → (out, in). layer.weight
Var bias(Var layer);    // → (out,). layer.bias
Var ones(Notebook& notebook, std::vector<Number> size);
Var rand(Var generator, std::vector<Number> size);
Var randn(Var generator, std::vector<Number> size);
// Numbers -1, 0 and 1 without any order to them, the same every time.
// (torch.arange(start, stop)**2 % 10007 % 3 - 1).float().view(size)
Var ternary(Notebook& notebook, std::size_t start, std::vector<Number> size);
Var parameter(Var x);         // torch.nn.Parameter(x)
Var frozen_parameter(Var x);  // torch.nn.Parameter(x, requires_grad=False)

// --- cell by cell ---

Var operator+(Var a, Var b);
Var operator-(Var a, Var b);
Var operator*(Var a, Var b);
Var operator/(Var a, Var b);
Var maximum(Var a, Var b);  // the larger of each two
Var operator/(Var x, const Number& by);
Var operator*(Var x, const Number& by);
Var exp(Var x);
Var square_root(Var x);
Var complement(Var x);  // 1 - x
Var abs(Var x);
Var equal(Var x, const Number& to);
Var as_bool(Var x);
Var masked_fill(Var x, Var mask, const Number& value);
// With a mask the generator draws. torch.dropout(x, p=p, train=True)
Var dropout(Var generator, Var x, const Number& p);
// The mask of the other algorithm, drawn from a generator that is not the notebook's. torch.tensor(…)
Var mkl_keep_mask(Notebook& notebook, Generator& generator, const Shape& shape, const Number& p);

// --- rows and columns ---

Var matmul(Var a, Var b);
Var dot(Var a, Var b);
Var tril(Var x);
Var tril(Var x, int diagonal);
Var triu(Var x, int diagonal);
Var softmax(Var x, int dim);
Var sum(Var x);
Var row_sums(Var x);         // x.sum(dim=-1, keepdim=True)
Var row_means(Var x);        // x.mean(dim=-1)
Var row_maxima(Var x);       // x.amax(dim=-1)
Var kept_row_maxima(Var x);  // x.amax(dim=-1, keepdim=True)

Var largest(Var x);  // x.amax()

// --- whether two ways lead to the same numbers ---

Var at_most(Var a, Var b);  // a <= b
Var as_float(Var x);        // x.float()
// 1 when no number of `a` is further from its counterpart in `b` than a hundred-thousandth of b's largest,
// which is rounding noise; otherwise 0.
Var agree(Var a, Var b);

// --- the same numbers elsewhere ---

Var transpose(Var x);  // (n, m) → (m, n). x.T
Var transpose(Var x, int dim0, int dim1);
// Throws Error when the numbers do not lie in memory as the size would read them. x.view(size)
Var view(Var x, std::vector<Number> size);
// The same numbers written out in order; x itself when they are so already. x.contiguous()
Var contiguous(Var x);
Var select(Var x, std::vector<Number> index);
Var corner(Var x, const Number& rows, const Number& columns);  // x[:rows, :columns]
Var slice(Var x, const Number& from, const Number& to);        // some of the rows. x[from:to]
Var stack(const std::vector<Var>& parts);
Var cat(const std::vector<Var>& parts, int dim);
Var with_last_row(Var x, Var row);  // (n, d), (1, d) → (n, d). x.clone(), then x[-1:] = row

// --- written as loops ---

Var row_dots(Var vectors, Var x);             // (n, d), (d,) → (n,)
Var pair_dots(Var vectors, Var others);       // (n, d), (m, d) → (n, m)
Var summed_products(Var a, Var b);            // (d,), (d,) → ()
Var weighted_rows(Var weights, Var vectors);  // (n,), (n, d) → (d,)
// (n, d), (m, d), (w,) → (w, n, m): all pairs by their first d_k features only, for each d_k of `widths`.
Var prefix_products(Var vectors, Var others, Var widths);

// --- as NumPy does it, where its bits are others than PyTorch's ---

namespace numpy {

Var seed(Notebook& notebook, std::uint64_t seed);          // np.random.seed(seed)
Var randn(Var generator, std::vector<Number> size);        // np.float32(np.random.randn(size))
Var where(Var condition, Var x, const Number& otherwise);  // np.where(condition, x, otherwise)
Var exp(Var x);
Var row_sums(Var x);  // np.sum(x, axis=-1, keepdims=True)

}  // namespace numpy

// --- numbers read off a tensor ---

// x.shape[axis]; a formula calls it `letter`
Number extent(Var x, int axis, std::string_view letter);
// √d_k, what scores are divided by. keys.shape[-1]**0.5
Number root_dk(Var keys);

}  // namespace attn
