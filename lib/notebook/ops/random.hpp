// Random draws: uniform and normal numbers, and dropout masks. The explanation of a number draws it again.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "notebook/notebook.hpp"

namespace attn {

// Seeds the generator that all later draws use. torch.manual_seed(seed)
Var manual_seed(Notebook& notebook, std::uint64_t seed);

Var rand(Var generator, std::vector<Number> size);   // → size, uniform in [0, 1). torch.rand(size)
Var randn(Var generator, std::vector<Number> size);  // → size, normal. torch.randn(size)

// (…) → (…): each number divided by 1 - p, or 0 with probability p. torch.dropout(x, p=p, train=True)
Var dropout(Var generator, Var x, const Number& p);

// → shape: 1 with probability 1 - p, else 0. Draws a mask as MKL does, with a generator other than the
// notebook's. torch.tensor(…)
Var mkl_keep_mask(Notebook& notebook, Generator& generator, const Shape& shape, const Number& p);

// Used by all operations that draw:
// Returns the number that the generator draws after this many more draws.
double uniform_again(const Draws& draws, std::uint64_t skipped);
Expr standard_normal(const FormulaOf& x);  // N(0, 1)
Fact seed_fact(const Draws& draws);
Fact draw_fact(const Draws& draws, std::uint64_t skipped, std::string_view name = "draw");

// lib/mistakes uses these operations:
extern const Operation manual_seed_op, rand_op, mkl_keep_mask_op, dropout_op;

}  // namespace attn
