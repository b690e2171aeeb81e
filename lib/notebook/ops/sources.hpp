// Tensors created from numbers of the program.
#pragma once

#include <vector>

#include "notebook/notebook.hpp"

namespace attn {

// (): a number of the program, as a named line. d_out = 2
Var scalar(Notebook& notebook, const Number& number);

Var ones(Notebook& notebook, std::vector<Number> size);  // → size. torch.ones(size)

// → (n,): the numbers from `from` up to but not including `to`. torch.arange(from, to, step).float()
Var arange(Notebook& notebook, const Number& from, const Number& to, const Number& step);

// → size: numbers -1, 0 and 1 that look random but are always the same. (torch.arange(start, stop)**2 % 10007
// % 3 - 1).float().view(size)
Var ternary(Notebook& notebook, std::size_t start, std::vector<Number> size);

constexpr std::size_t embedding_rows = 50000;  // a multiple of 16, so that randn draws no number twice

// → (tokens, width): rows of a table of normal numbers.
// torch.nn.Embedding(50000, width)(torch.tensor(rows)).detach() after torch.manual_seed(123)
Var embedding(Notebook& notebook, const std::vector<std::size_t>& rows, std::size_t width);

// Notebook::given() records this operation: a tensor of given numbers. torch.tensor(data)
extern const Operation given_op;

}  // namespace attn
