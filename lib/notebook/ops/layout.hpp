// The same numbers in another shape, in another order, or fewer of them; nothing is computed.
#pragma once

#include <string_view>
#include <vector>

#include "notebook/notebook.hpp"

namespace attn {

Var transpose(Var x);                      // (n, m) → (m, n). x.T
Var transpose(Var x, int dim0, int dim1);  // the two axes exchanged. x.transpose(dim0, dim1)

// The last two axes exchanged, whatever the rank: x.T, x.transpose(-2, -1). A nameless transposition
// of these axes gives its operand back.
Var matrix_transpose(Var x);

// (…) → size. Throws Error when the numbers do not lie in memory as the size would read them. x.view(size)
Var view(Var x, std::vector<Number> size);

// The same numbers in another shape, copied where memory does not allow a view.
Var reshape_as(Var x, Var like);  // (…) → the shape of `like`. x.reshape_as(like)
Var flatten_rows(Var x);          // (…, m) → (n, m): all axes but the last made one. x.flatten(0, -2)

// (…) → (…), written out in order; x itself when the numbers are so already. x.contiguous()
Var contiguous(Var x);

Var select(Var x, std::vector<Number> index);            // (a, b, …) → (…). x[i], x[i, j]
Var slice(Var x, const Number& from, const Number& to);  // (n, …) → (to − from, …). x[from:to]
Var slice(Var x, const Number& from);  // (n, …) → the rows from there on; -from: the last ones. x[from:]
Var slice(Var x, const std::array<Number, 2>& to);         // (n, m) → to. x[:n, :m]
Var columns(Var x, const Number& from, const Number& to);  // (…, m) → (…, to − from). x[..., from:to]

Var stack(const std::vector<Var>& parts);         // (…), … → (parts, …). torch.stack(parts, dim=0)
Var cat(const std::vector<Var>& parts, int dim);  // side by side along the axis. torch.cat(parts, dim=dim)

// (…, n, …) → (…, n · repeats, …): a a b b. x.repeat_interleave(repeats, dim=dim)
Var repeat_interleave(Var x, const Number& repeats, int dim);
// As often along each axis: a b a b. x.repeat(1, repeats, 1, 1)
Var repeat(Var x, std::vector<Number> repeats);

Var with_last_row(Var x, Var row);  // (n, d), (1, d) → (n, d). x.clone(), then x[-1:] = row

// The name autograd gives to some rows of a tensor, x[from:to].
inline constexpr std::string_view slice_grad_fn = "SliceBackward0";

// Operations that the notebook and mistakes look for.
extern const Operation alias_op, transpose_op, view_op, slice_op, cat_op, repeat_interleave_op;

}  // namespace attn
