// Tensors made from nothing but numbers of the program.
#pragma once

#include <vector>

#include "notebook/notebook.hpp"

namespace attn {

// () A number of the surrounding program, as a line of its own has it. d_out = 2
Var scalar(Notebook& notebook, const Number& number);

Var ones(Notebook& notebook, std::vector<Number> size);  // → size. torch.ones(size)

// → (n,), n the number of steps from `from` to before `to`. torch.arange(from, to, step).float()
Var arange(Notebook& notebook, const Number& from, const Number& to, const Number& step);

// → size: numbers -1, 0 and 1 without any order to them, the same every time.
// (torch.arange(start, stop)**2 % 10007 % 3 - 1).float().view(size)
Var ternary(Notebook& notebook, std::size_t start, std::vector<Number> size);

// Sources that the notebook records by itself: numbers from outside, torch.tensor(data).
extern const Operation given_op;

}  // namespace attn
