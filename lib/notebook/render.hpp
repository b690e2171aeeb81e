// A recorded call as text: its line of code or its formula. Nothing here is typed beside the computation; it
// all comes from the operations' rows.
#pragma once

#include <string>
#include <vector>

#include "notebook/notebook.hpp"

namespace attn {

// The value of a node: its name when it has one, otherwise the call written out.
std::string expression(const Notebook& notebook, std::size_t node, Language language);

// The statement that gives a named node its value: `attn_scores = queries @ keys.T`.
std::string statement(const Notebook& notebook, std::size_t id, Language language);

// The equation that says the same of a named node: `S = Q Kᵀ`, or `M_ij = …` when the operation works cell by
// cell; nothing when it has no formula.
Expr equation_of(const Notebook& notebook, std::size_t id);

// The named tensors a node is made of, in the order its expression mentions them, each once.
std::vector<std::size_t> named_operands(const Notebook& notebook, std::size_t node);

}  // namespace attn
