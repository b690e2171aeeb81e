// Signs that the code and the numbers of a tensor show, whatever other tensors are judged to be. A node is an
// index of CodeReading::nodes.
#pragma once

#include <cstddef>
#include <set>
#include <string_view>

#include "judge/code_reading.hpp"

namespace attn {

// The sum or difference that a node tests, perhaps by its largest part.
const Computed& tested_by(const CodeReading& code, std::size_t id);

// The axis, counted from the end, over which scores are normalised instead of the last: 2 for the columns
// of (…, n, n), 3 for the heads; otherwise 0.
std::size_t normalised_axis(const CodeReading& code, std::size_t id);

// The mistake that the hidden numbers of masked scores (…, n, n) show; empty if they show none.
std::string_view mistake_of_mask(const CodeReading& code, std::size_t id);

// True if the results of one head, or of heads with the same weights, stand side by side: [head] * 2.
bool joins_one_head(const CodeReading& code, std::size_t id);

// True for products of weights from softmax.
bool is_attention(const CodeReading& code, std::size_t id);

// A seed of the reader's own has no usual order of layers. True for such layers, and for projections by
// the layer that their name says.
bool has_own_order(const CodeReading& code, std::size_t id);

// A line that tries several numbers, or names a temperature, scales on purpose.
bool tries_factors(const CodeReading& code, std::size_t id);

bool is_scaled_wrongly(const CodeReading& code, std::size_t id);

// True if results of a node are multiplied with projections of the lesson.
bool meets_projections(const CodeReading& code, std::size_t id);

// True for a node of a cell that ran more than once.
bool runs_again(const CodeReading& code, const Computed& node);

// True for right scores that a cell scales once more each time it runs.
bool is_scaled_again(const CodeReading& code, std::size_t id);

// True for a tensor that was changed in place under a second name, if the same operation is applied to
// both: its author takes them for two tensors.
bool is_used_as_unchanged(const CodeReading& code, std::size_t id);

// True if numbers are divided by their sums.
bool normalises(const CodeReading& code, std::size_t id);
// True if the row sums of a square matrix are laid along its columns, because they lack an axis.
bool lacks_keepdim(const CodeReading& code, std::size_t id);

// The weights with the random numbers of another role's weights.
std::set<std::size_t> repeated_draws(const CodeReading& code);
// True for a variable that begins with zeros, unless it is a running sum that is added to later.
bool overwrites(const CodeReading& code, std::size_t id);

// For softmax of scores without a mask: the scores that an earlier line masked.
std::optional<std::size_t> mask_left_out(const CodeReading& code, std::size_t id);
// The same, if nothing computes weights from the masked ones.
std::optional<std::size_t> forgotten_mask(const CodeReading& code, std::size_t id);

// Returns the variable in this line that a loop overwrote, or null.
const Overwritten* overwritten_in(const CodeReading& code, std::size_t id);

// Returns the variable of the notebook that a method uses as an operand of this node, or null.
const GlobalUse* global_in(const CodeReading& code, std::size_t id);

bool has_draws_of_document(const CodeReading& code, std::size_t id);

// True for the embeddings of a chapter, also of a cell that ran twice.
bool is_node_of(const CodeReading& code, const Chapter& chapter, std::size_t id);

bool is_altered_lesson(const CodeReading& code, std::size_t id);

}  // namespace attn
