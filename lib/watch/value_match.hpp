// Compares recorded tensors with tensors of a walk by their numbers, up to transposition, reshaping and the
// split of heads.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "watch/recording.hpp"

namespace attn {

// A tensor of a walk; the walks of all sequences of a batch are joined.
struct WalkedTensor {
    std::size_t node;
    std::vector<std::size_t> sizes;  // without axes of size 1; heads are an axis of their own
    std::vector<float> numbers;
    bool has_batch = false;             // the first axis is the batch
    std::optional<std::size_t> head{};  // the one head of several that this is
    bool is_square = false;             // the last two axes are queries and keys
    std::size_t tokens =
        0;               // if heads have an axis: that of the tokens, counted from the end; 0 if not known
    unsigned roles = 0;  // the weights from which it comes, as bits; 0 if not known
};

struct ValueMatch {
    std::size_t node;
    std::vector<std::size_t> order;     // the recorded tensor has the axes in this order
    bool is_permuted = false;           // other axes than the batch are in a different order
    bool is_swapped = false;            // the keys come before the queries
    std::optional<std::size_t> row{};   // the recorded tensor is this row of the walked one
    std::optional<std::size_t> head{};  // the recorded tensor is of this head
};

// The relative difference that rounding to this tensor's type leaves, after several operations.
double rounding_of(const RecordedTensor& tensor);

// Returns the first walked tensor with these numbers, or with a row of these numbers if `is_row`. `tolerance`
// is relative to the largest number of the recorded tensor: walked ones may have others of any size.
// `roles` are bits of weights from which the recorded tensor comes.
std::optional<ValueMatch> match_value(const RecordedTensor& tensor, std::span<const WalkedTensor> walked,
                                      double tolerance, unsigned roles, bool is_row = false);

// Returns true if all numbers are among these, which are sorted.
bool is_among(const RecordedTensor& tensor, std::span<const float> sorted, double tolerance);

// Returns the numbers of a matching tensor in the order of the walked one.
std::vector<float> in_walked_order(const RecordedTensor& tensor, const WalkedTensor& walked,
                                   const ValueMatch& match);

}  // namespace attn
