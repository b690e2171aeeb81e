// Tells masks from other constants that code combines with scores or weights.
#pragma once

#include "watch/recording.hpp"

namespace attn {

constexpr float least_score = -1e3F;  // a smaller number, added to a score, hides a token

// Returns true for more than two values, which no mask has.
bool has_many_values(const RecordedTensor& mask);

// Returns true for a mask of zeros and ones, which is not to be added.
bool is_of_zeros_and_ones(const RecordedTensor& mask);

// Returns true for a causal mask of some kind, which may also hide earlier tokens, or a constant: all numbers
// above the diagonal are equal, and all on it. With more columns than rows, the triangle must not begin at
// the first key, because the keys of a cache come before. Returns true for other tensors that are not square.
bool may_be_causal_mask(const RecordedTensor& tensor);

// Returns true if all numbers on the diagonal and below it are equal.
bool hides_later_only(const RecordedTensor& square);

// Returns true for a mask that is not the same for all sequences, such as one of padding.
bool differs_by_sequence(const RecordedTensor& mask);

// Returns true for a mask that hides rows of each sequence, and not columns: padding of queries, not of keys.
bool hides_rows(const RecordedTensor& mask);

// Returns true for a square mask that hides earlier and later tokens alike.
bool is_symmetric(const RecordedTensor& mask);

}  // namespace attn
