// Calls in attention's terms, and edits of them: what a table of mistakes is written with. They hold for
// calls of any stage.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "notebook/notebook.hpp"

namespace attn::patterns {

// A call that an edit is asked about, or one made before.
struct At {
    Notebook& notebook;
    const Call& call;

    bool is(const Operation& operation) const { return call.operation == &operation; }
    bool is_called(std::string_view operation) const { return call.operation->name == operation; }
    Var operand(std::size_t position = 0) const { return {&notebook, call.inputs.at(position)}; }
    std::vector<Var> operands() const;
    // The same call: as it is, with another first operand, with another attribute.
    Var again() const { return again(operands()); }
    Var again(Var first) const;
    Var again(const std::vector<Var>& operands) const;
    Var with(std::string_view attribute, const Number& number) const;
};

using Test = std::function<bool(const At&)>;
using Rewrite = std::function<std::optional<Var>(const At&)>;
// The edit that rewrites these calls, where there is anything to rewrite.
Edit at(Test applies, Rewrite rewrite);
Edit at(const Operation& operation, Rewrite rewrite);

At call_of(Var x);
const std::string& name_of(Var x);

// The last node of that name so far, or of that operation.
std::optional<Var> named(Notebook& notebook, std::string_view name);
std::optional<Var> last(Notebook& notebook, const Operation& operation);
// A number of the stage's own, such as d_in, under the name it has there; without one, the digits.
Number number(Notebook& notebook, std::string_view name, double value);
// A number written in its own way, such as -1e9.
Number written(double value, std::string_view reads);

// x without second names.
Var original(Var x);
// The softmax that attention weights come from, dropped or not.
std::optional<Var> softmax_of(Var weights);
// The operand of the softmax before scaling and mask: queries times keys.
std::optional<Var> scores_of(Var scaled);
// The same calls on scores that were not masked; the node of the stage itself where it has one.
Var unmasked(Var weights);
// Scores with the same cells masked as those on the way to `scaled` are.
Var masked_as(Var scores, Var scaled);
// Ones, as many as scores (…, n, n) have in a matrix.
Var ones_for(Var scores);
// 1 where a query may look, for scores (…, n, n): the stage's mask_simple, or one made anew.
Var visible(Var scores);

bool is_matrix_transpose(const At& c);  // x.T
bool is_lower_triangle(const At& c);    // torch.tril(x)
bool is_upper_triangle(const At& c);    // torch.triu(x, diagonal=1)
// True if a call multiplies queries with keys, matrices both.
bool makes_scores(const At& c);
// True if a call divides scores by √d_k.
bool scales_scores(const At& c);
// True if a call multiplies weights with values.
bool makes_context(const At& c);
// True if -inf was filled in on the way from the scores.
bool is_masked(Var scaled);
// True for the softmax of masked scores.
bool is_masked_softmax(const At& c);
// True for layers and for rand.
bool draws_weights(const At& c);
// True if x is the matrix of a linear layer or a parameter of the reader's own.
bool is_weight(Var x);

}  // namespace attn::patterns
