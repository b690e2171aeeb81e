// Operations that change the shape or order of numbers, or select some of them. They compute nothing.
#pragma once

#include <string_view>
#include <vector>

#include "notebook/notebook.hpp"

namespace attn {

Var transpose(Var x);                      // (n, m) → (m, n). x.T
Var transpose(Var x, int dim0, int dim1);  // Exchanges two axes. x.transpose(dim0, dim1)

// Exchanges the last two axes of a tensor of any rank: x.T, x.transpose(-2, -1). If x is itself a nameless
// transposition of these axes, its operand is returned.
Var matrix_transpose(Var x);

// (…) → size. Throws Error when the strides of x do not allow a view of that size. x.view(size)
Var view(Var x, std::vector<Number> size);

// Gives the numbers a different shape, and copies them if the strides do not allow a view.
Var reshape_as(Var x, Var like);      // (…) → the shape of `like`. x.reshape_as(like)
extern const Operation flatten_rows;  // (…, m) → (n, m): joins all axes but the last. x.flatten(0, -2)

// (…) → (…): copies x into row-major order, or returns x if it is already contiguous. x.contiguous()
Var contiguous(Var x);

Var select(Var x, std::vector<Number> index);            // (a, b, …) → (…). x[i], x[i, j]
Var slice(Var x, const Number& from, const Number& to);  // (n, …) → (to − from, …). x[from:to]
Var slice(Var x, const Number& from);  // (n, …) → the rows from `from` on; -from: the last ones. x[from:]
Var slice(Var x, const std::array<Number, 2>& to);         // (n, m) → to. x[:n, :m]
Var columns(Var x, const Number& from, const Number& to);  // (…, m) → (…, to − from). x[..., from:to]

Var stack(const std::vector<Var>& parts);         // (…), … → (parts, …). torch.stack(parts, dim=0)
Var cat(const std::vector<Var>& parts, int dim);  // joins along an axis. torch.cat(parts, dim=dim)

// (…, n, …) → (…, n · repeats, …): a a b b. x.repeat_interleave(repeats, dim=dim)
Var repeat_interleave(Var x, const Number& repeats, int dim);
// Repeats the whole tensor along each axis: a b a b. x.repeat(1, repeats, 1, 1)
Var repeat(Var x, std::vector<Number> repeats);

// x, row: (n, d), (1, d) → (n, d). x.clone(), then x[-1:] = row
extern const Operation with_last_row;

// The name of autograd's function for slices of rows, x[from:to].
inline constexpr std::string_view slice_grad_fn = "SliceBackward0";

// The notebook and lib/mistakes use these operations:
extern const Operation alias_op, transpose_op, view_op, slice_op, cat_op, repeat_interleave_op;

}  // namespace attn
