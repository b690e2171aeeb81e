// Functions for the tables of mistakes. They recognise calls by their role in attention, and edit them, in
// any stage.
#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "notebook/notebook.hpp"

namespace attn::patterns {

// A node; nothing if there is none, or if an edit leaves a call as it is.
using MaybeVar = std::optional<Var>;
inline const MaybeVar none{};

// A call and its notebook: the call that is being edited, or an earlier one.
struct At {
    Notebook& notebook;
    const Call& call;

    bool is(const Operation& operation) const { return call.operation == &operation; }
    bool is_called(std::string_view operation) const { return call.operation->name == operation; }
    Var operand(std::size_t position = 0) const { return {&notebook, call.inputs.at(position)}; }
    std::vector<Var> operands() const;
    std::size_t rank() const { return operand().value().rank(); }
    // Returns the call that made an operand; origin() skips calls that only renamed it.
    At maker(std::size_t position = 0) const;
    At origin(std::size_t position = 0) const;
    // These functions repeat the call: unchanged, or with a different first operand, with different operands,
    // by a different operation, or with a different attribute.
    Var again() const { return again(operands()); }
    Var again(Var first) const;
    Var again(const std::vector<Var>& operands) const;
    Var by(const Operation& operation) const;
    Var with(std::string_view attribute, const Number& number) const;
};

// The calls that an edit replaces: those of an operation, or those that pass a test.
class Site {
public:
    Site(const Operation& operation) : holds_([&operation](const At& c) { return c.is(operation); }) {}
    template <std::predicate<const At&> Test>
    Site(Test holds) : holds_(std::move(holds)) {}
    bool holds(const At& c) const { return holds_(c); }

private:
    std::function<bool(const At&)> holds_;
};

// Returns what replaces a call; none if it stays.
using Verb = std::function<MaybeVar(const At&)>;
// Returns an edit of all calls, or of those at a site.
Edit at(Verb verb);
Edit at(Site site, Verb verb);

// Verbs: leaves out a call, calls a different operation, or applies a function to the first operand.
Var left_out(const At& c);
Verb by(const Operation& operation);
using Function = Var (*)(Var x);
Verb applied(Function function);
// Verbs that replace random numbers from 0 to 1: by normal ones, those of the transposed matrix, those from
// -1 to 1, and ones.
Var drawn_by_randn(const At& c);
MaybeVar drawn_transposed(const At& c);
Var drawn_around_zero(const At& c);
Var filled_with_ones(const At& c);

// Returns the edit of each of these choices.
template <typename Choice, typename Make>
std::vector<Edit> each(std::initializer_list<Choice> choices, const Make& make) {
    std::vector<Edit> edits;
    for (const Choice& choice : choices) {
        edits.push_back(make(choice));
    }
    return edits;
}

Var relu(Var x);  // torch.relu(x), which no stage has

At call_of(const Var& x);
const std::string& name_of(Var x);

// Returns the last node with this name, or made by this operation.
MaybeVar named(Notebook& notebook, std::string_view name);
MaybeVar last(Notebook& notebook, const Operation& operation);
// Returns a number such as d_in: by its name if the stage uses it, otherwise as digits.
Number number(Notebook& notebook, std::string_view name, double value);
// Returns a number and its spelling in code, such as -1e9.
Number written(double value, std::string_view reads);

// Returns the original of a tensor that alias calls only renamed.
Var original(Var x);
// Returns the softmax that gave the attention weights, before any dropout.
MaybeVar softmax_of(Var weights);
// Returns the product of queries and keys, from which the scaled and masked scores come.
MaybeVar scores_of(Var scaled);
// Returns the attention weights without a mask: the stage's own node for them, or new ones.
Var unmasked(Var weights);
// Masks the same cells of `scores` that are masked in `scaled`.
Var masked_as(Var scores, Var scaled);
// Returns a matrix of ones (n, n) for scores (…, n, n).
Var ones_for(Var scores);
// Returns a matrix with 1 for visible cells, for scores (…, n, n): the stage's mask_simple, or a new one.
Var visible(Var scores);

bool is_matrix_transpose(const At& c);  // x.T
bool is_lower_triangle(const At& c);    // torch.tril(x)
bool is_upper_triangle(const At& c);    // torch.triu(x, diagonal=1)
// Returns true if a call multiplies the matrices of queries and keys.
bool makes_scores(const At& c);
// Returns true if a call divides scores by √d_k.
bool scales_scores(const At& c);
// Returns true if a call multiplies weights by values.
bool makes_context(const At& c);
// Returns true if scores were masked, before or after scaling.
bool is_masked(Var scaled);
// Returns true for the softmax of masked scores.
bool is_masked_softmax(const At& c);
// Returns true for layers and for rand.
bool draws_weights(const At& c);
// Returns true if x is a parameter of a linear layer, drawn or given by the reader.
bool is_weight(Var x);

}  // namespace attn::patterns
