// Conditions on a run, as data/narration/ states them beside its sentences, in Python's words:
// `dropout > 0 and not close(sum(attn_weights, -2), 1)`.
//
// A name is a parameter of the run (`num_heads`, `qkv_bias`), or else a tensor of a step or of a line between
// two. Names that differ only in a number are the same: `attn_scores_2` is `attn_scores_4` if the fourth
// token is followed. `this` is the step told of, `own_weights` is 1 where the reader brings them.
//
// There are `x[0]`, `x[:-1]` and `x[:, 1]`; + - * /; min(x), max(x), abs(x), sqrt(x), sum(x, dim), size(x,
// dim), transpose(x), tril(x, diagonal) and triu(x, diagonal) as in PyTorch. Further: close(a, b), up to
// rounding; has(x), if the run has such a tensor; is(loss, mse), for a parameter that is a word; off(mask),
// where a page switched it off; and comparisons, true if they hold for every number, joined by `and`, `or`,
// `not`. NaN is equal, close and next to nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "stages/trace.hpp"

namespace attn {

// A run, the step of it that is told of, and what is switched off in it: a page's "mask", "scaling" or
// "dropout", or nothing.
struct Situation {
    const StageTrace& trace;
    std::size_t step = 0;
    std::string_view off = {};
};

// Throws std::logic_error for a malformed condition, and for a name that the run does not have.
bool holds(std::string_view condition, const Situation& situation);

// The number that an expression of the same language gives: `1 - attn_weights[0, 0]`. None for a cell that
// the tensor does not have, and for inf and NaN. Throws as above.
std::optional<double> number_of(std::string_view expression, const Situation& situation);

}  // namespace attn
