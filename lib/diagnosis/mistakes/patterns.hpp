// Predicates on a call, in attention's terms, for calls of any stage.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "notebook/notebook.hpp"

namespace attn::patterns {

bool is(const Call& call, const Operation& operation);
bool is_matrix_transpose(const Call& call);  // x.T
bool is_lower_triangle(const Call& call);    // torch.tril(x)
Var operand(Notebook& notebook, const Call& call, std::size_t position);
std::vector<Var> operands(Notebook& notebook, const Call& call);
const Call& call_of(Var x);
const std::string& name_of(Var x);

// The last node of that name so far.
std::optional<Var> named(Notebook& notebook, std::string_view name);
// A number of the stage's own, such as d_in, under the name it has there; without one, the digits.
Number number(Notebook& notebook, std::string_view name, double value);

// x without second names.
Var original(Var x);
// The softmax that attention weights come from, dropped or not.
std::optional<Var> softmax_of(Var weights);
// The operand of the softmax before scaling and mask: queries times keys.
std::optional<Var> scores_of(Var scaled);
// True if a call multiplies queries with keys, matrices both.
bool makes_scores(Notebook& notebook, const Call& call);
// True if a call multiplies weights with values.
bool makes_context(Notebook& notebook, const Call& call);
// True if -inf was filled in on the way from the scores.
bool is_masked(Var scaled);
// The same calls on scores that were not masked; the node of the stage itself where it has one.
Var unmasked(Var weights);
// Scores with the same cells masked as those on the way to `scaled` are.
Var masked_as(Var scores, Var scaled);
// 1 where a query may look, for scores (…, n, n): the stage's mask_simple, or one made anew.
Var visible(Var scores);
// True if x is the matrix of a linear layer or a parameter of the reader's own.
bool is_weight(Var x);

}  // namespace attn::patterns
