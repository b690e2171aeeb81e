// Writes a recorded call as code or as a formula. Everything comes from the rows of the operations.
#pragma once

#include <string>
#include <vector>

#include "notebook/notebook.hpp"

namespace attn {

// Returns a node's name, or its call as an expression if it has none.
std::string expression(const Notebook& notebook, std::size_t node, Language language);

// Returns the statement that defines a named node: `attn_scores = queries @ keys.T`.
std::string statement(const Notebook& notebook, std::size_t id, Language language);

// Returns the equation of a named node: `S = Q Kᵀ`, or `M_ij = …` for a formula of single cells. The
// expression is empty if there is no formula.
Expr equation_of(const Notebook& notebook, std::size_t id);

// Returns the named tensors in a node's expression, each once, in the order in which they appear.
std::vector<std::size_t> named_operands(const Notebook& notebook, std::size_t node);

}  // namespace attn
